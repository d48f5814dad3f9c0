// What is recorded plays: each of these did something that a step says in another way than the log has it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Sandbox, startSandbox, type World } from "../../../src/index.ts";
import { type Loaded, play } from "../../../src/stories/scenario/index.ts";
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
    const scenario = parse(text);
    const loaded = { file: "story.yaml", scenario, positionOf: () => ({ line: 1, column: 1 }) } as unknown as Loaded;
    const { steps, trouble } = await play(loaded, sandbox);
    const failed = steps.flatMap(({ name, passed, differences }) => (passed ? [] : [{ name, differences }]));
    expect([trouble, failed], text).toEqual([undefined, []]);
    return scenario.steps;
  } finally {
    await world.remove();
  }
}

/** Until so many attempts of deliveries are in the log. */
async function attempts(world: World, count: number): Promise<void> {
  while ((await world.log({ kinds: ["delivery"] })).length < count) await new Promise((soon) => setTimeout(soon, 20));
}

test("a trigger that moves the clock is one step", async () => {
  const steps = await recorded((world) =>
    fetch(`${sandbox.controlUrl}/trigger?world=${world.id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: "v1.event.completed" }),
    }),
  );
  expect(steps.map(({ name }) => name)).toEqual([
    "trigger event completed",
    "event completed is sent",
    "journal entry created is sent",
  ]);
});

test("a token that a fault revoked is one that nobody knows, and no fault stays", async () => {
  const steps = await recorded(async (world) => {
    await world.faults.arm({ operation: "*", token: { revoke: true }, times: 1 });
    for (const status of [401, 200]) expect((await call(world, "GET", "/v1/me")).status).toBe(status);
  });
  expect(steps.map(({ name: _, expect: __, ...step }) => step)).toEqual([
    { call: "getMe", as: "raw:not-a-token" },
    { call: "getMe" },
  ]);
});

test("a fault that answers 401 hits a good token", async () => {
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

test("faults of deliveries are armed before what causes the messages, and the receiver answers what it did", async () => {
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

test("an act, a kind of webhook or an input that there is not is left out, and said", async () => {
  const world = await sandbox.world();
  const recording = await world.record();
  const send = (path: string, body: string) =>
    fetch(`${sandbox.controlUrl}/${path}?world=${world.id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  await send("acts/nosuch", "{}");
  for (const body of ["[1]", "{not JSON", "{}"]) await send("acts/cancelEvent", body);
  for (const body of [{}, { kind: "v1.nosuch" }, { kind: "v1.booking.created", sett: {} }])
    await send("trigger", JSON.stringify(body));
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

test("a message sent again or given up and a rotated secret are no steps, and said unless a rewind undid them", async () => {
  const receiver = await receive((response) => void response.writeHead(503).end());
  const world = await sandbox.world();
  try {
    const post = async (path: string, body = {}) => {
      const response = await fetch(`${sandbox.controlUrl}/${path}?world=${world.id}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(response.status, path).toBe(200);
    };
    const body = { url: receiver.url, event_types: ["v1.booking.updated"], state: "ENABLED" };
    const made = await call(world, "POST", "/v1/webhook-subscriptions", body);
    const { id: subscription } = (await made.json()) as { id: string };
    await world.act("updateBooking", { booking_id: "bkg-evening", internal_note: "a" });
    const message = (await world.webhooks.all("v1.booking.updated"))[0]?.id;
    await post(`messages/${message}/resend`);
    const recording = await world.record();
    await world.act("updateBooking", { booking_id: "bkg-evening", internal_note: "b" });
    const { items } = (await (await fetch(`${sandbox.controlUrl}/history?world=${world.id}`)).json()) as {
      items: { seq: number }[];
    };
    await post(`messages/${message}/resend`);
    await post(`webhook-subscriptions/${subscription}/rotate-secret`);
    await world.rewind(items.at(-1)?.seq ?? 0);
    await post(`messages/${message}/resend`);
    await post(`messages/${message}/resend`);
    await post(`messages/${message}/give-up`);
    const { leftOut } = await recording.story("By hand");
    expect(leftOut.filter((sentence) => sentence.startsWith("Left out"))).toEqual([
      "Left out: a message was sent again by hand, which no step can say. (2 times)",
      "Left out: a message was given up by hand, which no step can say.",
    ]);
    await post(`webhook-subscriptions/${subscription}/rotate-secret`);
    const { text } = await recording.story("By hand");
    expect(text).toContain("# Left out: the secret of a subscription was rotated, which no step can say.\n");
  } finally {
    await world.remove();
    await receiver.close();
  }
});

test("where nothing happened there is no story", async () => {
  const world = await sandbox.world();
  const recording = await world.record();
  await world.reset();
  await expect(recording.story("Nothing")).rejects.toMatchObject({
    ...{ code: "NOT_RECORDABLE", message: `Nothing happened in the world ${world.id}.` },
  });
});
