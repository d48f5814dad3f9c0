// `sandbox show`, `logs --messages` and `resend`: a request with its effects, messages with their deliveries, and a repeated delivery.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { BOOKING, CLOCK, call } from "../library/works-anywhere.ts";
import { startLocalServer } from "../local-server.ts";
import { runHere } from "./in-process.ts";

let sandbox: Sandbox;
const received: string[] = [];
let isCutting = false;
let at: { SANDBOX_URL: string };

/** A receiver that refuses every second request. */
const hook = await startLocalServer((request, response) => {
  received.push(String(request.headers["webhook-id"]));
  if (isCutting) {
    response.writeHead(200, { "content-length": 100 }).write("abc", () => response.destroy());
    return;
  }
  request.resume().on("end", () => response.writeHead(received.length % 2 === 1 ? 204 : 500).end("busy just now"));
});

beforeAll(async () => {
  const webhooks = { webhookUrl: `${hook.url}/hook`, webhookEvents: ["v1.booking.created" as const] };
  sandbox = await startSandbox({ clock: CLOCK, ...webhooks });
  at = { SANDBOX_URL: sandbox.url };
});
afterAll(async () => {
  await sandbox.close();
  hook.close();
});

const run = (line: string) => runHere(line.split(" "), at);

const book = (quantity: number) =>
  call(sandbox, "POST", "/v1/bookings", { ...BOOKING, items: [{ ...BOOKING.items[0], quantity }] });

describe("sandbox show <request>", () => {
  it("shows a request with bodies, facts, and its messages with their deliveries", async () => {
    const answered = await book(1);
    const id = answered.headers.get("sandbox-request-id") ?? "";
    await expect.poll(() => received.length).toBe(1);
    await expect.poll(async () => (await run(`show ${id}`)).stdout).toContain("DELIVERED");
    const { code, stdout } = await run(`show ${id}`);
    expect([code, answered.status]).toEqual([0, 201]);
    expect(stdout).toMatch(/^\S+ {2}201 .* POST +\/v1\/bookings {2}\d webhooks?\n/);
    expect(stdout).toContain("authorization: [redacted]");
    expect(stdout).toContain('  "event_id": "evt-evening"');
    expect(stdout).toMatch(/\n facts\n[\s\S]*booking\.created \w+/);
    expect(stdout).toMatch(/\n webhooks[\s\S]*v1\.booking\.created msg_\w+/);
    expect(JSON.parse((await run(`show ${id} --json`)).stdout)).toMatchObject({ id, status: 201 });
  });

  it("shows what was wrong, with the code", async () => {
    const refused = await book(9999);
    const { stdout } = await run(`show ${refused.headers.get("sandbox-request-id")}`);
    expect(stdout).toMatch(/^\S+ {2}409 .* POST .*\n +NOT_ENOUGH_RESOURCES /);
  });

  it("truncates a long body, and explains how to see all of it", async () => {
    const long = await fetch(`${sandbox.url}/v1/nowhere`, { method: "POST", body: "line\n".repeat(100) });
    const id = long.headers.get("sandbox-request-id");
    expect((await run(`show ${id}`)).stdout).toMatch(/… \d+ more lines; --full shows all/);
    expect((await run(`show ${id} --full`)).stdout).not.toContain("--full");
  });
});

describe("sandbox logs --messages and sandbox resend", () => {
  it("list, filter, show with attempts, resend and give up messages", async () => {
    const { items } = JSON.parse((await run("logs --messages --kinds v1.booking.created --json")).stdout);
    const [{ id }] = items;
    expect((await run("logs --messages")).stdout).toMatch(new RegExp(`${id} +v1\\.booking\\.created +DELIVERED`));
    const resent = await run(`resend ${id}`);
    expect([resent.code, resent.stdout]).toEqual([
      0,
      expect.stringMatching(
        /PENDING {2}http:\S+ {2}2 attempts: receiver responded 500; next attempt when the clock moves to 09:00:05Z/,
      ),
    ]);
    expect((await run("logs --messages --filter-status pending")).stdout).toContain(id);
    expect((await run("logs --messages --filter-status given_up")).stderr).toBe("No message matches.\n");
    const { items: all, more } = JSON.parse((await run("logs --messages --limit 1000 --json")).stdout);
    expect([all.length, more]).toEqual([2, undefined]);
    expect(JSON.parse((await run("logs --messages --limit 1 --json")).stdout)).toEqual({
      items: all.slice(-1),
      more: 1,
    });
    expect((await run("logs --messages --limit 1")).stderr).toBe(
      "1 older message is not listed. --limit can be up to 1000.\n",
    );
    const view = (await run(`show ${id}`)).stdout;
    expect(view).toMatch(/2\. 2030-06-01T09:00:00\.000Z {2}500 REFUSED[^\n]*\n {5}busy just now/);
    expect(view).toContain("PENDING, next attempt when the clock moves to 09:00:05Z");
    // An empty line separates the headers of the request from the response.
    expect((await run(`show ${id} --full`)).stdout).toMatch(/\n {5}webhook-id: [^\n]*\n( {5}[^\n]+\n)*\n {5}[\w-]+: /);
    expect((await run(`resend ${id} --give-up`)).stdout).toContain("GIVEN_UP");
    const again = await run("resend --failed-since 2030-06-01T09:00:00Z");
    expect(again.stdout).toContain("3 attempts: 204");
    const copies = await run(`resend ${id} --copies 2 --tamper body --json`);
    expect(JSON.parse(copies.stdout).deliveries[0].attempts.slice(-2)).toMatchObject([
      { tamper: "body" },
      { tamper: "body" },
    ]);
    expect(received.every((each) => each === id)).toBe(true);
  });

  it("explain why an attempt failed although its status was a success", async () => {
    const [{ id }] = JSON.parse((await run("logs --messages --kinds v1.booking.created --json")).stdout).items;
    isCutting = true;
    const { stdout } = await run(`resend ${id}`);
    isCutting = false;
    expect(stdout).toMatch(
      /PENDING[\s\S]*attempts: \S[\s\S]*complete; next attempt when the clock moves to 09:00:\d\dZ/,
    );
  });

  it("report when no subscription receives a resent message", async () => {
    await run("world create unheard");
    await run("trigger v1.event.created --world unheard");
    const [{ id }] = JSON.parse((await run("logs --messages --world unheard --json")).stdout).items;
    const { code, stdout, stderr } = await run(`resend ${id} --tamper body --world unheard`);
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      `NO_SUBSCRIPTION: Nothing was sent: of the webhook subscriptions that message ${id} is for, none is ENABLED. Enable one, or name another subscription to send it to.\n`,
    ]);
  });

  it("list the resent deliveries, and none of a deleted subscription", async () => {
    await run("world create halved");
    const subscribe = async (path: string): Promise<string> => {
      const data = { url: `http://127.0.0.1:9/${path}`, event_types: ["v1.event.created"], state: "ENABLED" };
      const words = `call createWebhookSubscription --world halved --data ${JSON.stringify(data)}`;
      return JSON.parse((await run(words)).stdout).id;
    };
    const [gone, left] = [await subscribe("gone"), await subscribe("left")];
    await run("trigger v1.event.created --world halved");
    await run(`call deleteWebhookSubscription --world halved --set subscriptionId=${gone}`);
    const [{ id }] = JSON.parse((await run("logs --messages --world halved --json")).stdout).items;
    const listed = async (words: string) =>
      (await run(`resend ${id} --world halved${words}`)).stdout.match(/http:\S+/g);
    expect(await listed("")).toEqual(["http://127.0.0.1:9/left"]);
    const other = await subscribe("other");
    expect(await listed(` --to ${other}`)).toEqual(["http://127.0.0.1:9/other"]);
    expect(await listed(` --to ${left}`)).toEqual(["http://127.0.0.1:9/left"]);
  });

  it.each([
    ["resend", "Give the id of a message"],
    ["resend msg_1 --failed-since 2030-06-01T09:00:00Z", "--failed-since has no effect on msg_1. Leave it out."],
    ["resend --failed-since noon", '--failed-since: invalid instant "noon".'],
    ["resend msg_1 --copies 0", "--copies: must be >= 1; it is 0."],
    ["resend msg_1 --delay soon", "--delay is soon, which is not a duration. Write it as P3D"],
    ["resend --failed-since 2030-06-01T09:00:00Z --delay PT5M", "--delay needs an id."],
    ["resend req-1 --copies 2", "--copies has no effect on req-1."],
    ["logs --messages --kinds v1.booking.create", "Did you mean v1.booking.created?"],
  ])("sandbox %s is wrong usage", async (line, words) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(words)]);
  });
});

describe("sandbox resend <request>", () => {
  it("resends a request, with changes if requested, and exits by its response", async () => {
    const id = (await book(1000)).headers.get("sandbox-request-id");
    const refused = await run(`resend ${id}`);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("NOT_ENOUGH_RESOURCES")]);
    expect(refused.stderr).toMatch(new RegExp(`^409  req-\\w+-\\d+, ${id} sent again`));
    const done = await run(`resend ${id} --set items.0.quantity=1 --json`);
    expect([done.code, JSON.parse(done.stdout)]).toEqual([
      0,
      { id: expect.any(String), status: 201, answer: expect.anything() },
    ]);
  });

  it("reports errors in terms of its arguments", async () => {
    const id = (await book(1)).headers.get("sandbox-request-id");
    expect(await run(`resend ${id} --set items.first=1`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--set items.first: first is no place in the list"),
    });
    expect(await run("resend req-none-1")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("`sandbox logs` lists them"),
    });
  });
});
