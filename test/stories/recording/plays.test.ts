// What is recorded plays: each of these did something that a step says in another way than the log has it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Sandbox, startSandbox, type World } from "../../../src/index.ts";
import { type Loaded, play } from "../../../src/stories/scenario/index.ts";
import { ask } from "../../ask.ts";
import { receive } from "../../engine/webhooks/kit.ts";
import { CLOCK, call } from "../../library/works-anywhere.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: CLOCK });
});
afterAll(() => sandbox.close());

type Steps = { name: string; expect?: object; [verb: string]: unknown }[];

/** The steps of the recording, after it has played. */
async function recorded(doing: (world: World) => Promise<unknown>): Promise<Steps> {
  const world = await sandbox.world();
  try {
    const recording = await world.record({ since: "start" });
    await doing(world);
    const { text } = await recording.story("What happened");
    return await played(text);
  } finally {
    await world.remove();
  }
}

/** The steps of a scenario, all of which pass. */
async function played(text: string): Promise<Steps> {
  const scenario = parse(text);
  const loaded = { file: "story.yaml", scenario, positionOf: () => ({ line: 1, column: 1 }) } as unknown as Loaded;
  const { steps, trouble } = await play(loaded, sandbox);
  const failed = steps.flatMap(({ name, passed, differences }) => (passed ? [] : [{ name, differences }]));
  expect([trouble, failed], text).toEqual([undefined, []]);
  return scenario.steps;
}

/** Until so many attempts of deliveries are in the log. */
async function attempts(world: World, count: number): Promise<void> {
  while ((await world.log({ kinds: ["delivery"] })).length < count) await new Promise((soon) => setTimeout(soon, 20));
}

interface Client {
  client_id: string;
  client_secret: string;
}

async function createClient(world: World, name: string): Promise<Client> {
  return (await world.act("createKey", { name, scopes: ["booking.read"] })).result as Client;
}

/** `inHeader`: the key goes into the header, which no step can say, so that the story has to request a token of its own. */
async function requestToken(world: World, client: Client, inHeader = false): Promise<string> {
  const { client_id, client_secret } = client;
  const form = { grant_type: "client_credentials", audience: world.url };
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString("base64");
  const response = await fetch(`${world.url}/oauth2/token`, {
    method: "POST",
    headers: inHeader ? { authorization: `Basic ${basic}` } : {},
    body: new URLSearchParams(inHeader ? form : { ...form, client_id, client_secret }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
}

async function readBooking(world: World, token: string): Promise<{ status: number; id: string }> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, headers: answered } = await fetch(`${world.url}/v1/bookings/bkg-evening`, { headers });
  return { status, id: answered.get("sandbox-request-id") ?? "" };
}

const verbsOf = (steps: Steps) =>
  steps.map(({ act, call: operation, advance, as }) => [act ?? operation ?? advance, as]);

test("clients with keys of their own get new tokens after the clock has expired the old ones", async () => {
  const steps = await recorded(async (world) => {
    const clients = [await createClient(world, "Shop"), await createClient(world, "Till")];
    for (const _ of [1, 2]) {
      for (const client of clients) {
        const token = await requestToken(world, client, client === clients[1]);
        expect((await readBooking(world, token)).status).toBe(200);
        expect((await readBooking(world, token)).status).toBe(200);
      }
      expect((await call(world, "GET", "/v1/me")).status).toBe(200);
      await world.clock.advance("PT2H");
    }
  });
  expect(steps.filter(({ call: operation }) => operation === "createToken")).toHaveLength(4);
});

test("a selected request gets a valid token, even if the request for that token was not selected", async () => {
  const world = await sandbox.world();
  try {
    const [shop, till, desk] = [
      await createClient(world, "Shop"),
      await createClient(world, "Till"),
      await createClient(world, "Desk"),
    ];
    const chosen: string[] = [];
    const read = async (token: string, expected: number) => {
      const { status, id } = await readBooking(world, token);
      expect(status).toBe(expected);
      chosen.push(id);
    };
    const first = [await requestToken(world, shop), await requestToken(world, till), await requestToken(world, desk)];
    for (const token of first) await read(token, 200);
    await world.clock.advance("PT30M");
    for (const token of first) await read(token, 200);
    await world.act("revokeKey", { client_id: desk.client_id });
    await world.clock.advance("PT40M");
    for (const token of first.slice(0, 2)) await read(token, 401);
    // The world does not know this token anymore, so its log does not have the request.
    expect((await readBooking(world, first[2] ?? "")).status).toBe(401);
    for (const client of [shop, till]) await read(await requestToken(world, client), 200);
    const { status, body } = await recordChosen(world, chosen);
    expect([status, body.left_out]).toEqual([200, []]);
    const steps = await played(body.text);
    const [unknown, of] = ["raw:not-a-token", (step: string) => `raw:\${${step}.body.access_token}`];
    expect(verbsOf(steps)).toEqual([
      ...Array(3).fill(["createKey", undefined]),
      ...["a token", "a token 2", "a token 3"].flatMap((step) => [
        ["createToken", undefined],
        ["getBooking", of(step)],
      ]),
      ["PT30M", undefined],
      ...["a token", "a token 2", "a token 3"].map((step) => ["getBooking", of(step)]),
      ["revokeKey", undefined],
      ["PT40M", undefined],
      ["getBooking", unknown],
      ["getBooking", unknown],
      ...["a token 4", "a token 5"].flatMap((step) => [
        ["createToken", undefined],
        ["getBooking", of(step)],
      ]),
    ]);
  } finally {
    await world.remove();
  }
});

const post = (world: World, path: string, body: unknown = {}) =>
  ask("post", `${sandbox.controlUrl}/${path}?world=${world.id}`, { "content-type": "application/json" }, body);

const recordChosen = (world: World, entries: readonly string[]) => post(world, "recordings", { entries });

test("a trigger that moves the clock is one step", async () => {
  const steps = await recorded((world) => post(world, "trigger", { kind: "v1.event.completed" }));
  expect(steps.map(({ name }) => name)).toEqual([
    "trigger event completed",
    "event completed is sent",
    "journal entry created is sent",
  ]);
});

test("a token that a fault revoked is recorded as an unknown token, without the fault", async () => {
  const steps = await recorded(async (world) => {
    await world.faults.arm({ operation: "*", token: { revoke: true }, times: 1 });
    for (const status of [401, 200]) expect((await call(world, "GET", "/v1/me")).status).toBe(status);
  });
  expect(steps.map(({ name: _, expect: __, ...step }) => step)).toEqual([
    { call: "getMe", as: "raw:not-a-token" },
    { call: "getMe" },
  ]);
});

test("a fault that responds with 401 hits a valid token", async () => {
  const steps = await recorded(async (world) => {
    await world.faults.arm({ operation: "getMe", status: 401, times: 1 });
    for (const status of [401, 200]) expect((await call(world, "GET", "/v1/me")).status).toBe(status);
  });
  expect(steps.map(({ name: _, expect: __, ...step }) => step)).toEqual([
    { fault: { operation: "getMe", status: 401, times: 1 } },
    { call: "getMe" },
    { call: "getMe" },
  ]);
});

test("faults of deliveries are armed before the cause of the messages, and the receiver responds as before", async () => {
  const receiver = await receive((response) => void response.writeHead(204).end());
  const armed = (...doing: string[]) =>
    doing.map((each) => ({ delivery: { do: each as "drop" }, times: 1, name: `it is ${each}` }));
  const updated = (world: World, internal_note: string) =>
    world.act("updateBooking", { booking_id: "bkg-evening", internal_note });
  try {
    const steps = await recorded(async (world) => {
      const body = { url: receiver.url, event_types: ["v1.booking.updated"], state: "ENABLED" };
      expect((await call(world, "POST", "/v1/webhook-subscriptions", body)).status).toBe(201);
      await world.faults.arm(...armed("drop"));
      await updated(world, "dropped");
      await attempts(world, 1);
      await world.faults.arm({ operation: "getMe", status: 503, times: 1 }, ...armed("wrong_secret"));
      expect((await call(world, "GET", "/v1/me")).status).toBe(503);
      await updated(world, "signed otherwise");
      await attempts(world, 3);
    });
    const kind = "v1.booking.updated";
    expect(steps.flatMap(({ fault, receiver: orders }) => fault ?? orders ?? [])).toEqual([
      { delivery: { do: "drop", kind }, times: 1 },
      { operation: "getMe", status: 503, times: 1 },
      { answer: 204 },
      { delivery: { do: "wrong_secret", kind }, times: 1 },
    ]);
  } finally {
    await receiver.close();
  }
});

test("an unknown act, kind of webhook or input is omitted and reported", async () => {
  const world = await sandbox.world();
  const recording = await world.record();
  await post(world, "acts/nosuch");
  for (const body of ["[1]", "{not JSON", "{}"]) await post(world, "acts/cancelEvent", body);
  for (const body of [{}, { kind: "v1.nosuch" }, { kind: "v1.booking.created", sett: {} }])
    await post(world, "trigger", body);
  const { text, leftOut } = await recording.story("What there is");
  expect(parse(text).steps).toEqual([
    { name: "cancel event is refused", act: "cancelEvent", expect: { code: "BAD_REQUEST" } },
  ]);
  expect(leftOut).toEqual([
    "Left out: nosuch is no act of the sandbox.",
    "Left out: cancelEvent has an input that is no object. (2 times)",
    "Left out: trigger undefined names no kind of webhook.",
    "Left out: trigger v1.nosuch names no kind of webhook.",
    "Left out: trigger v1.booking.created has sett beside its kind, which no step has.",
  ]);
  await world.remove();
});

test("a resent or given-up message and a rotated secret are no steps, and are reported unless a rewind undid them", async () => {
  const receiver = await receive((response) => void response.writeHead(503).end());
  const world = await sandbox.world();
  try {
    const change = async (path: string) => expect((await post(world, path)).status, path).toBe(200);
    const body = { url: receiver.url, event_types: ["v1.booking.updated"], state: "ENABLED" };
    const made = await call(world, "POST", "/v1/webhook-subscriptions", body);
    const { id: subscription } = (await made.json()) as { id: string };
    await world.act("updateBooking", { booking_id: "bkg-evening", internal_note: "a" });
    const message = (await world.webhooks.all("v1.booking.updated"))[0]?.id;
    await change(`messages/${message}/resend`);
    const recording = await world.record();
    await world.act("updateBooking", { booking_id: "bkg-evening", internal_note: "b" });
    const { items } = (await ask("get", `${sandbox.controlUrl}/history?world=${world.id}`)).body;
    await change(`messages/${message}/resend`);
    await change(`webhook-subscriptions/${subscription}/rotate-secret`);
    await world.rewind(items.at(-1)?.seq ?? 0);
    await change(`messages/${message}/resend`);
    await change(`messages/${message}/resend`);
    await change(`messages/${message}/give-up`);
    const { leftOut } = await recording.story("By hand");
    expect(leftOut.filter((sentence) => sentence.startsWith("Left out"))).toEqual([
      "Left out: a message was sent again by hand, which no step can say. (2 times)",
      "Left out: a message was given up by hand, which no step can say.",
    ]);
    await change(`webhook-subscriptions/${subscription}/rotate-secret`);
    const { text } = await recording.story("By hand");
    expect(text).toContain("# Left out: the secret of a subscription was rotated, which no step can say.\n");
  } finally {
    await world.remove();
    await receiver.close();
  }
});

test("without activity there is no recording", async () => {
  const world = await sandbox.world();
  const recording = await world.record();
  await world.reset();
  await expect(recording.story("Nothing")).rejects.toMatchObject({
    code: "NOT_RECORDABLE",
    message: `Nothing happened in the world ${world.id}.`,
  });
});
