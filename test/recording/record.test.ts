// `sandbox record` and `world.record()`: what is recorded plays at once, nothing secret is written, and no file is harmed.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Sandbox, type Scope, startSandbox, type World } from "../../src/index.ts";
import type { Json } from "../../src/recording/stretch.ts";
import { textOf } from "../../src/recording/text.ts";
import { runHere } from "../cli/in-process.ts";
import { startSandboxCommand } from "../cli/run-sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "record-"));
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** A reference in a scenario. */
const ref = (path: string) => `\${${path}}`;
const fileOf = (name: string) => join(folder, `${name}.yaml`);
const GUEST = { customer_type: "PRIVATE", name: "Anna Holm", email: "anna@example.com" };
const ADDRESS = { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" };
const BOOKING = {
  ...{ event_id: "evt-evening", locale: "da", customer: { ...GUEST, address: ADDRESS } },
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
};

async function call(world: World, method: string, path: string, body?: object, scopes?: Scope[]) {
  const headers = { authorization: `Bearer ${await world.token(scopes)}`, "content-type": "application/json" };
  const response = await fetch(`${world.url}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await response.json()) as { id: string };
}

const book = (world: World) => call(world, "POST", "/v1/bookings", BOOKING);

const record = (world: World, file: string, ...words: string[]) =>
  runHere(["record", file, "--url", sandbox.url, "--world", world.id, ...words]);

async function plays(file: string): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const { code, stdout, stderr } = await runHere(["play", file, "--url", sandbox.url]);
    expect(code, `${stdout}${stderr}${readFileSync(file, "utf8")}`).toBe(0);
  }
}

const stepsIn = (file: string) => (parse(readFileSync(file, "utf8")) as { steps: Record<string, unknown>[] }).steps;

/** Another signal ends it as SIGTERM does. */
const SIGNALS = ["SIGINT", "SIGTERM", ...(process.env.SANDBOX_LONG ? (["SIGHUP"] as const) : [])] as const;

test.each(SIGNALS)("it goes on until %s, and writes what there is", async (signal) => {
  const world = await sandbox.world();
  const file = fileOf(signal);
  const recording = startSandboxCommand(["record", file, "--url", sandbox.url, "--world", world.id]);
  await recording.shows("Ctrl-C ends it");
  const { id } = await book(world);
  await world.act("cancelBooking", { booking_id: id, refund: "full" });
  await world.clock.advance("PT12H");
  if (signal === "SIGINT") await recording.shows(/clock .*happened/);
  expect(existsSync(file)).toBe(false);
  recording.child.kill(signal);
  const { code, stdout } = await recording.ended;
  expect(stdout).toMatch(/: \d+ steps from 4 entries of the log\.\n$/);
  expect(code).toBe(0);
  const [first, ...rest] = stepsIn(file);
  expect(first).toMatchObject({
    call: "createBooking",
    with: BOOKING,
    expect: { status: 201, body: { status: "ACTIVE" } },
  });
  const cancelled = { booking_id: ref("create booking.body.id") };
  expect(rest).toContainEqual(
    expect.objectContaining({ act: "cancelBooking", with: { ...cancelled, refund: "full" } }),
  );
  expect(rest).toContainEqual(
    expect.objectContaining({
      webhook: "v1.booking.cancelled",
      expect: { payload: expect.objectContaining(cancelled), times: 1 },
    }),
  );
  expect(rest).toContainEqual(expect.objectContaining({ advance: "PT12H" }));
  expect(readFileSync(file, "utf8")).not.toContain(id);
  await plays(file);
});

test("a recorder that is killed leaves nothing behind", async () => {
  const world = await sandbox.world();
  const recording = startSandboxCommand(["record", fileOf("killed"), "--url", sandbox.url, "--world", world.id]);
  await recording.shows("Ctrl-C ends it");
  await book(world);
  await recording.shows("POST");
  recording.child.kill("SIGKILL");
  await recording.ended;
  expect(readdirSync(folder).filter((name) => name.includes("killed"))).toEqual([]);
});

test("when the sandbox stops, what there is is written", async () => {
  const other = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
  const file = fileOf("stopped");
  const recording = startSandboxCommand(["record", file, "--url", other.url]);
  await recording.shows("Ctrl-C ends it");
  await book(other);
  await recording.shows("/v1/bookings");
  await other.close();
  const { code, stderr } = await recording.ended;
  expect(stderr).toContain("has stopped");
  expect(code).toBe(0);
  await plays(file);
});

test("a stretch that is past: what changed the world before it comes first, and nothing else does", async () => {
  const world = await sandbox.world();
  await call(world, "GET", "/v1/locations");
  const { id } = await book(world);
  await world.clock.advance("PT1H");
  await call(world, "GET", `/v1/bookings/${id}`);
  await world.act("cancelBooking", { booking_id: id, refund: "none" });
  const [read] = await world.requests({ operation: "getBooking" });
  const file = fileOf("past");
  const { code, stderr } = await record(
    world,
    file,
    "--since",
    String(read?.id),
    "--until",
    String(read?.id),
    "--title",
    "A look",
  );
  expect(code).toBe(0);
  expect(stderr).toContain("The world was changed before: 2 entries of the log come first in the story.");
  expect(parse(readFileSync(file, "utf8"))).toMatchObject({ title: "A look", fixture: "harbour-tours", seed: 7 });
  expect(stepsIn(file)).toEqual([
    { name: "create booking", call: "createBooking", with: BOOKING },
    { name: "the clock moves by PT1H", advance: "PT1H" },
    expect.objectContaining({ call: "getBooking", with: { bookingId: ref("create booking.body.id") } }),
  ]);
  await plays(file);
  expect(await record(world, fileOf("all"), "--since", "start")).toMatchObject({ code: 0 });
  expect(stepsIn(fileOf("all"))[0]).toMatchObject({ call: "listLocations" });
  await plays(fileOf("all"));
});

test("secrets and tokens are not written, and a player needs none", async () => {
  const world = await sandbox.world();
  const { client_id } = (await world.act("createKey", { name: "Partner", scopes: ["booking.read"] })).result;
  const other = await call(world, "GET", "/v1/bookings?limit=1", undefined, ["location.read"]);
  expect(other).toHaveProperty("code");
  const file = fileOf("secrets");
  await record(world, file, "--since", "start");
  const text = readFileSync(file, "utf8");
  for (const secret of [world.credentials.clientSecret, world.credentials.clientId, client_id, "redacted", "Bearer"])
    expect(text).not.toContain(secret);
  expect(stepsIn(file)).toContainEqual(expect.objectContaining({ call: "listBookings", as: ["location.read"] }));
  await plays(file);
});

test("injected faults and other answers to open questions belong to the story; equal steps are told once", async () => {
  const world = await sandbox.world();
  await world.assume({ "booking-create-status": "200" });
  await world.faults.arm(
    { operation: "createBooking", status: 503, times: 1 },
    { operation: "getMe", delay_ms: 1, times: 1 },
  );
  await book(world);
  for (let times = 0; times < 5; times++) await call(world, "GET", "/v1/me");
  await book(world);
  const file = fileOf("faults");
  await record(world, file, "--since", "start");
  expect(parse(readFileSync(file, "utf8"))).toMatchObject({ assume: { "booking-create-status": "200" } });
  const [armed, refused, me, booked] = stepsIn(file);
  expect(armed).toMatchObject({ fault: { operation: "createBooking", status: 503, times: 1 } });
  expect(refused).toMatchObject({ expect: { status: 503 }, with: { customer: ref("given.customer") } });
  expect(me).toMatchObject({ call: "getMe", repeat: { times: 5 }, expect: { statuses: { 200: 5 } } });
  expect(booked).toMatchObject({ expect: { status: 200 } });
  await plays(file);
});

test("no file is replaced unasked, and nothing that happened makes no file", async () => {
  const world = await sandbox.world();
  const file = fileOf("twice");
  expect(await record(world, file, "--since", "start")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Nothing happened in the world ${world.id}, so ${file} was not written.`),
  });
  expect(existsSync(file)).toBe(false);
  await book(world);
  expect(await record(world, file, "--since", "start", "--json")).toMatchObject({ code: 0 });
  expect(await record(world, file, "--since", "start")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--force"),
  });
  expect(await record(world, file, "--since", "start", "--force")).toMatchObject({ code: 0 });
  expect(await record(world, join(folder, "no", "x.yaml"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no folder"),
  });
});

test("a world whose beginning no story can say is refused, with what to do", async () => {
  const world = await sandbox.world();
  await world.snapshot("before");
  await book(world);
  await world.restore("before");
  const fork = await world.fork();
  for (const [each, why] of [
    [world, "a snapshot"],
    [fork, "a fork"],
  ] as const) {
    const { code, stdout } = await record(each, fileOf("refused"), "--since", "start", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      error: { code: "NOT_RECORDABLE", message: expect.stringContaining(`began as ${why}`) },
    });
    expect(stdout).toContain("`sandbox state reset` begins it anew");
  }
  await world.reset();
  await book(world);
  expect(await record(world, fileOf("anew"), "--since", "start")).toMatchObject({ code: 0 });
  await plays(fileOf("anew"));
  expect(await record(world, fileOf("no"), "--since", "req-none-1")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The log has no entry req-none-1"),
  });
});

test("what no step can say is left out, and said", async () => {
  const world = await sandbox.world();
  const headers = { authorization: `Bearer ${await world.token()}`, "content-type": "application/json" };
  await fetch(`${world.url}/v1/bookings`, { method: "POST", headers, body: "[1]" });
  await fetch(`${world.url}/v1/boats`, { headers });
  await runHere(["trigger", "v1.booking.created", "--url", sandbox.url, "--world", world.id]);
  await book(world);
  const file = fileOf("left-out");
  const { stderr } = await record(world, file, "--since", "start");
  expect(stderr).toContain("Left out: POST /v1/bookings has a body that is no object.");
  expect(stepsIn(file)).toContainEqual(expect.objectContaining({ trigger: "v1.booking.created" }));
  expect(readFileSync(file, "utf8")).toMatch(/^# Left out: POST \/v1\/bookings has a body/);
  await plays(file);
});

test("what was written is played once in a world of its own, unless that is not wanted", async () => {
  const worlds = async () =>
    ((await (await fetch(`${sandbox.controlUrl}/worlds`)).json()) as { items: object[] }).items;
  const world = await sandbox.world();
  await book(world);
  const before = await worlds();
  const [played, unplayed] = [fileOf("played"), fileOf("unplayed")];
  const words = `${played}: 3 steps from 3 entries of the log.\n`;
  expect(await record(world, played, "--since", "start")).toEqual({
    ...{ code: 0, stdout: words, stderr: `It plays: \`sandbox play ${played}\`.\n` },
  });
  expect(await worlds()).toHaveLength(before.length);
  expect(await record(world, unplayed, "--since", "start", "--no-check")).toMatchObject({
    ...{ code: 0, stderr: `Play it with \`sandbox play ${unplayed}\`.\n` },
  });
});

test("a story that does not play is kept, with the step that differs and where it stands", async () => {
  // A changed copy that is called like the shipped one: the story can name only that.
  const fixture = join(folder, "harbour-tours");
  cpSync("fixtures/harbour-tours", fixture, { recursive: true });
  for (const part of readdirSync(fixture)) {
    const path = join(fixture, part);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("evt-last-seat", "evt-seat"));
  }
  const other = await startSandbox({ clock: "2030-06-01T09:00:00Z", fixture });
  try {
    await call(other, "GET", "/v1/events/evt-seat");
    const file = fileOf("differs");
    const words = ["record", file, "--url", other.url, "--since", "start"];
    const { code, stderr } = await runHere(words);
    const line =
      readFileSync(file, "utf8")
        .split("\n")
        .findIndex((each) => each.includes("- name:")) + 1;
    const fault = `${file}:${line}:5: get event: status wanted 200, came 404`;
    expect(stderr.split("\n")).toContain(fault);
    expect(stderr).toContain(`${file} stays, but it does not play yet.`);
    expect(code).toBe(1);
    expect(JSON.parse((await runHere([...words, "--force", "--json"])).stdout).faults).toContain(fault);
  } finally {
    await other.close();
  }
});

test("a world of the folder that the sandbox was started with: the story names the folder, and plays", async () => {
  const fixture = join(folder, "my-tours");
  cpSync("fixtures/empty", fixture, { recursive: true });
  const other = await startSandbox({ fixture });
  try {
    const named = await other.world({ fixture: "my-tours" });
    await named.act("submitConsent", { email: "anna@example.com", full_name: "Anna" });
    const file = fileOf("own-folder");
    const words = ["record", file, "--url", other.url, "--world", named.id, "--since", "start"];
    expect(await runHere(words)).toMatchObject({ code: 0, stderr: `It plays: \`sandbox play ${file}\`.\n` });
    expect(parse(readFileSync(file, "utf8"))).toMatchObject({ fixture: "./my-tours" });
    const far = join(mkdtempSync(join(folder, "far-")), "story.yaml");
    const { stderr } = await runHere(words.map((word) => (word === file ? far : word)).concat("--no-check"));
    expect(stderr).toContain(`neither in this folder nor beside ${far}: name its folder in \`fixture\`.`);
  } finally {
    await other.close();
  }
});

test("the library records what a test does", async () => {
  const world = await sandbox.world();
  await book(world);
  const recording = await world.record();
  const { id } = await book(world);
  await world.act("cancelBooking", { booking_id: id, refund: "full" });
  const { scenario, text } = await recording.story("A guest cancels");
  expect(parse(text)).toEqual(scenario);
  const { steps } = scenario as { steps: object[] };
  expect(steps.slice(0, 2)).toMatchObject([
    { call: "createBooking" },
    { call: "createBooking", expect: { status: 201 } },
  ]);
  expect(steps[0]).not.toHaveProperty("expect");
  expect(steps).toContainEqual(expect.objectContaining({ act: "cancelBooking" }));
  const imported = await world.fork();
  await expect(imported.record()).rejects.toMatchObject({
    code: "NOT_RECORDABLE",
    message: expect.stringContaining("reset() begins it anew"),
  });
});

test("any scenario is written so that YAML reads the same", () => {
  // Of any characters: `fc.string` of them would begin with a table of a million.
  const code = fc.integer({ min: 0, max: 0x10ffff }).filter((each) => each < 0xd800 || each > 0xdfff);
  const text = fc.array(code, { maxLength: 20 }).map((codes) => String.fromCodePoint(...codes));
  const value = fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json)) as Json);
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), value), text, (members, title) => {
      const { name: _, ...rest } = JSON.parse(JSON.stringify(members)) as Record<string, Json>;
      const scenario = {
        title,
        given: rest,
        steps: [
          { ...rest, name: "a step" },
          { name: title || "b", with: rest },
        ],
      };
      expect(parse(textOf({ scenario, leftOut: ["a\nb"] }))).toEqual(scenario);
    }),
    { numRuns: 30 },
  );
});
