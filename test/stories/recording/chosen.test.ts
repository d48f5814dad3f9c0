// `POST /_sandbox/recordings`: a scenario of entries that somebody chose, which plays at once; and why there is none.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Sandbox, startSandbox, type World } from "../../../src/index.ts";
import { ask } from "../../ask.ts";
import { runHere } from "../../cli/in-process.ts";
import { BOOKING, call } from "../../library/works-anywhere.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const folder = makeTempFolder();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
});
afterAll(() => sandbox.close());

async function book(world: World, event_id = "evt-evening") {
  const items = [{ ...BOOKING.items[0], quantity: 2 }];
  const response = await call(world, "POST", "/v1/bookings", { ...BOOKING, event_id, items });
  const { id } = (await response.json()) as { id: string };
  return { id, entry: response.headers.get("sandbox-request-id") ?? "" };
}

async function latest(world: World, kind: string): Promise<string> {
  return (await world.log({ kinds: [kind as "act"] })).at(-1)?.id ?? "";
}

async function record(world: World, entries: string[], more: object = {}) {
  const url = `${sandbox.url}/_sandbox/recordings?world=${world.id}`;
  const { status, body } = await ask("post", url, {}, { entries, ...more });
  return { status, ...body };
}

const namesIn = (text: string) => (parse(text) as { steps: { name: string }[] }).steps.map(({ name }) => name);

test("selected entries are recorded, other changes have no expectations, and the recording plays", async () => {
  const world = await sandbox.world();
  const first = await book(world);
  const other = await book(world);
  const full = await book(world, "evt-last-seat");
  await world.act("cancelBooking", { booking_id: first.id });
  const act = await latest(world, "act");
  await world.act("cancelBooking", { booking_id: other.id });
  const { status, title, text, steps, left_out } = await record(world, [act, first.entry, full.entry]);
  expect([status, title, left_out]).toEqual([200, "Create booking, create booking is refused, cancel booking", []]);
  expect(namesIn(text).filter((name) => !name.includes("is sent"))).toEqual([
    "create booking",
    "create booking 2",
    "create booking is refused",
    "cancel booking",
  ]);
  expect(steps).toBe(namesIn(text).length);
  const prepared = (parse(text) as { steps: { name: string }[] }).steps.find(({ name }) => name === "create booking 2");
  expect(prepared).not.toHaveProperty("expect");
  const file = join(folder, "chosen.yaml");
  writeFileSync(file, text);
  for (const words of [
    ["validate", file],
    ["play", file, "--url", sandbox.url],
  ]) {
    const { code, stdout, stderr } = await runHere(words);
    expect(code, `${stdout}${stderr}${text}`).toBe(0);
  }
});

test("it has the given title, and does not change the world and the other worlds", async () => {
  const world = await sandbox.world();
  const { entry } = await book(world);
  const worlds = (await (await fetch(`${sandbox.url}/_sandbox/worlds`)).json()) as object;
  const before = await world.log();
  const { title, text } = await record(world, [entry], { title: "A guest: books" });
  expect([title, (parse(text) as { title: string }).title]).toEqual(["A guest: books", "A guest: books"]);
  expect(await world.log()).toEqual(before);
  expect(await (await fetch(`${sandbox.url}/_sandbox/worlds`)).json()).toEqual(worlds);
});

test("entries that a rewind undid are a scenario by themselves, but not together with later ones", async () => {
  const world = await sandbox.world();
  await world.snapshot("before");
  const undone = await book(world);
  await world.rewind("before");
  const stands = await book(world);
  expect(await record(world, [undone.entry, stands.entry])).toEqual({
    status: 409,
    code: "NOT_RECORDABLE",
    message: `${undone.entry} was undone by a rewind before ${stands.entry} happened, so they are no story together. Choose entries of one side of the rewind.`,
  });
  for (const { entry } of [undone, stands]) {
    const { status, text } = await record(world, [entry, await latest(world, "world")]);
    expect(status).toBe(200);
    expect(namesIn(text)[0]).toBe("create booking");
  }
});

test("it rejects entries that are not in the log, of a fork, or without a step", async () => {
  const world = await sandbox.world();
  const { entry } = await book(world);
  expect(await record(world, [entry, "req-none"])).toMatchObject({
    status: 409,
    message:
      "The log has no request, act or move of the clock req-none. It may be of another world, or of before a reset.",
  });
  expect(await record(world, [(await world.log()).at(0)?.id ?? ""])).toMatchObject({
    status: 409,
    message: "None of these entries makes a step.",
  });
  const fork = await world.fork();
  expect(await record(fork, [entry])).toMatchObject({
    status: 409,
    message: expect.stringContaining(`The world ${fork.id} began as a fork, and a story plays in a fresh world.`),
  });
  expect(await record(world, [])).toMatchObject({ status: 400 });
});
