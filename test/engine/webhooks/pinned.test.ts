// Whatever a world becomes, what its person subscribed stays: the same id and secret, and the next message arrives signed by it.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Sandbox, startSandbox, type World } from "../../../src/index.ts";
import { ask } from "../../ask.ts";
import { CLOCK, call } from "../../library/works-anywhere.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { isGenuine, receive } from "./kit.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: CLOCK, retry: "fast" });
});
afterAll(() => sandbox.close());

const control = (
  world: World,
  method: "get" | "put" | "post",
  path: string,
  body?: object,
  { controlUrl }: Sandbox = sandbox,
) => ask(method, `${controlUrl}${path}`, { "sandbox-world": world.id }, body);

interface Stored {
  id: string;
  url: string;
  secret: string;
  state: string;
  pinned?: true;
}

async function stored(world: World, of?: Sandbox): Promise<Stored[]> {
  const { body } = await control(world, "get", "/state", undefined, of);
  const all: Stored[] = body.collections.subscriptions ?? [];
  return all.map(({ id, url, secret, state, pinned }) => ({ id, url, secret, state, ...(pinned ? { pinned } : {}) }));
}

const KIND = "v1.marketing_consent.created";

async function subscribed(world: World, url: string): Promise<string> {
  const answer = await call(world, "POST", "/v1/webhook-subscriptions", { url, event_types: [KIND], state: "ENABLED" });
  return ((await answer.json()) as { id: string }).id;
}

/** Each way by which another state takes the place of a world's own; `start` is a moment of before. */
const WAYS: [name: string, replace: (world: World, start: number) => Promise<unknown>][] = [
  ["a reset", (world) => world.reset()],
  [
    "an import of its own state",
    async (world) => control(world, "put", "/state", (await control(world, "get", "/state")).body),
  ],
  [
    "an import of another world",
    async (world) => control(world, "put", "/state", (await control(sandbox, "get", "/state")).body),
  ],
  ["the return of a snapshot", (world) => world.restore("before")],
  ["a rewind", (world, start) => world.rewind(start)],
  ["bulk data", (world) => control(world, "post", "/state/populate", { bookings: 3, days: 2 })],
];

describe.each(WAYS)("After %s", (_, replace) => {
  const begun = async (options: { webhookUrl?: string } = {}) => {
    const world = await sandbox.world({ ...options, webhookEvents: options.webhookUrl ? [KIND] : undefined });
    onTestFinished(() => world.remove());
    await world.act("submitConsent", { email: "bo@example.com", full_name: "Bo Lind" });
    await world.snapshot("before");
    const { body } = await control(world, "get", "/history");
    return { world, start: body.items[0].seq as number };
  };

  it("the subscription of webhookUrl exists with its id and secret, and receives messages", async () => {
    const { url, got, until } = await receive();
    const { world, start } = await begun({ webhookUrl: url });
    await until(1);
    const before = await stored(world);
    expect(before).toEqual([
      { id: expect.any(String), url, secret: world.webhookSecret, state: "ENABLED", pinned: true },
    ]);
    await replace(world, start);
    expect(await stored(world)).toEqual(before);
    await world.act("submitConsent", { email: "anna@example.com", full_name: "Anna Holm" });
    await until(2);
    expect(isGenuine(got[1] as (typeof got)[number], world.webhookSecret as string)).toBe(true);
  });

  it("a subscription that was pinned later exists too", async () => {
    const { url } = await receive();
    const { world, start } = await begun();
    const id = await subscribed(world, url);
    expect((await control(world, "post", `/webhook-subscriptions/${id}/pin`)).status).toBe(204);
    const before = await stored(world);
    await replace(world, start);
    expect(await stored(world)).toEqual(before);
    const view = await call(world, "GET", `/v1/webhook-subscriptions/${id}`);
    expect(await view.json()).not.toHaveProperty("pinned");
  });

  it("a new subscription of a program does not replace it, whether pinned manually or created with the world", async () => {
    const { url } = await receive();
    const { world, start } = await begun({ webhookUrl: url });
    const byHand = await subscribed(world, `${url}by-hand`);
    await control(world, "post", `/webhook-subscriptions/${byHand}/pin`);
    const before = await stored(world);
    await replace(world, start);
    const made = await subscribed(world, `${url}made`);
    const after = await stored(world);
    expect(after).toHaveLength(before.length + 1);
    expect(after).toEqual(
      expect.arrayContaining([...before, expect.objectContaining({ id: made, url: `${url}made` })]),
    );
  });

  it("a subscription that was deleted does not return", async () => {
    const { url } = await receive();
    const { world, start } = await begun({ webhookUrl: url });
    const [{ id }] = (await stored(world)) as [Stored];
    await world.snapshot("before");
    await call(world, "DELETE", `/v1/webhook-subscriptions/${id}`);
    await replace(world, start);
    expect((await stored(world)).filter(({ pinned }) => pinned)).toEqual([]);
  });
});

it("An ordinary subscription is deleted with the state in which it was created", async () => {
  const { url } = await receive();
  const world = await sandbox.world();
  onTestFinished(() => world.remove());
  await subscribed(world, url);
  await world.reset();
  expect(await stored(world)).toEqual([]);
});

it("An import with a pinned subscription for the same address creates no duplicate", async () => {
  const { url } = await receive();
  const [mine, theirs] = [await sandbox.world({ webhookUrl: url }), await sandbox.world({ webhookUrl: url })];
  onTestFinished(() => Promise.all([mine.remove(), theirs.remove()]).then(() => undefined));
  const before = await stored(mine);
  await control(mine, "put", "/state", (await control(theirs, "get", "/state")).body);
  expect(await stored(mine)).toEqual(before);
});

it("An import with a pinned subscription for another address creates an ordinary one", async () => {
  const [here, there] = [await receive(), await receive()];
  const mine = await sandbox.world({ webhookUrl: here.url, webhookEvents: [KIND] });
  const theirs = await sandbox.world({ webhookUrl: there.url, webhookEvents: [KIND] });
  onTestFinished(() => Promise.all([mine.remove(), theirs.remove()]).then(() => undefined));
  const [own] = (await stored(mine)) as [Stored];
  const [{ pinned: _, ...other }] = (await stored(theirs)) as [Stored];
  await control(mine, "put", "/state", (await control(theirs, "get", "/state")).body);
  expect(await stored(mine)).toEqual(expect.arrayContaining([own, other]));
});

it("A fork has them disabled, and can delete them", async () => {
  const { url } = await receive();
  const world = await sandbox.world({ webhookUrl: url });
  const fork = await world.fork();
  onTestFinished(() => Promise.all([world.remove(), fork.remove()]).then(() => undefined));
  const [{ pinned: _, ...own }] = (await stored(world)) as [Stored];
  expect(await stored(fork)).toEqual([{ ...own, state: "DISABLED" }]);
  const { body } = await ask("get", `${sandbox.controlUrl}/worlds/${fork.id}/credentials`);
  expect(body.webhook_secret).toBeNull();
});

it("A copy in a fork never shows the secret, and the original of a world does after a 410", async () => {
  const gone = await receive((response) => void response.writeHead(410).end());
  const started = await startSandbox({ clock: CLOCK, webhookUrl: gone.url });
  onTestFinished(() => started.close());
  const secretOf = async ({ id }: { id: string }) =>
    (await ask("get", `${started.controlUrl}/worlds/${id}/credentials`)).body.webhook_secret;
  expect(await secretOf(await started.fork())).toBeNull();
  const world = await started.world({ webhookUrl: `${gone.url}world` });
  await world.act("submitConsent", { email: "bo@example.com", full_name: "Bo Lind" });
  await vi.waitFor(async () => expect((await stored(world, started))[0]?.state).toBe("DISABLED"));
  expect(await secretOf(world)).toBe(world.webhookSecret);
});

it("A subscription that a 410 has disabled still shows its secret, and the next start enables it", async () => {
  const gone = await receive((response) => void response.writeHead(410).end());
  const options = { data: join(makeTempFolder(), "world.json"), clock: CLOCK, webhookUrl: gone.url };
  const first = await startSandbox(options);
  await first.act("submitConsent", { email: "bo@example.com", full_name: "Bo Lind" });
  await vi.waitFor(async () => expect((await stored(first, first))[0]?.state).toBe("DISABLED"));
  const secretOf = async (of: Sandbox) =>
    (await ask("get", `${of.controlUrl}/worlds/default/credentials`)).body.webhook_secret;
  expect(await secretOf(first)).toBe(first.webhookSecret);
  const [{ id, secret }] = (await stored(first, first)) as [Stored];
  await first.close();
  const second = await startSandbox(options);
  onTestFinished(() => second.close());
  expect(await stored(second, second)).toEqual([{ id, secret, url: gone.url, state: "ENABLED", pinned: true }]);
  expect(second.webhookSecret).toBe(first.webhookSecret);
});

it("An unknown subscription can't be pinned", async () => {
  const refused = await control(sandbox, "post", "/webhook-subscriptions/nobody/pin");
  expect([refused.status, refused.body.message]).toEqual([404, expect.stringContaining("nobody")]);
});
