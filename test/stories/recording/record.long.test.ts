// `sandbox record` and `world.record()`: what is recorded plays at once, nothing secret is written, and no file is harmed.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type Sandbox, type Scope, startSandbox, type World } from "../../../src/index.ts";
import type { Json } from "../../../src/platform/json.ts";
import { formatRecording } from "../../../src/stories/recording/text.ts";
import { ask } from "../../ask.ts";
import { runHere } from "../../cli/in-process.ts";
import { startSandboxCommand } from "../../cli/run-sandbox.ts";
import { BOOKING } from "../../library/works-anywhere.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const folder = makeTempFolder();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
});
afterAll(() => sandbox.close());

/** A reference in a scenario. */
const ref = (path: string) => `\${${path}}`;
/** The webhooks of one step come in whichever order. */
const inOrder = (steps: readonly object[]) =>
  [...steps].sort(
    (a, b) =>
      Number("webhook" in a) - Number("webhook" in b) ||
      (JSON.stringify(a) < JSON.stringify(b) && "webhook" in a ? -1 : 0),
  );
const fileOf = (name: string) => join(folder, `${name}.yaml`);

async function call(world: World, method: string, path: string, body?: object, scopes?: Scope[]) {
  const authorization = `Bearer ${await world.token(scopes)}`;
  return (await ask(method, `${world.url}${path}`, { authorization }, body)).body as { id: string };
}

const book = (world: World): Promise<{ id: string }> => call(world, "POST", "/v1/bookings", BOOKING);

const record = (world: World, file: string, ...words: string[]) =>
  runHere(["record", file, "--url", sandbox.url, "--world", world.id, ...words]);

async function plays(file: string): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const { code, stdout, stderr } = await runHere(["play", file, "--url", sandbox.url]);
    expect(code, `${stdout}${stderr}${readFileSync(file, "utf8")}`).toBe(0);
  }
}

const storyIn = (file: string) => parse(readFileSync(file, "utf8")) as { steps: Record<string, unknown>[] };
const stepsIn = (file: string) => storyIn(file).steps;
const namesIn = (file: string) => stepsIn(file).map(({ name }) => name);

/** What a story of the shipped fixture says of its world. */
const BEGINNING = { fixture: "harbour-tours", clock: "2030-06-01T09:00:00.000Z", seed: 7 };
const BOOKED = { name: "create booking", call: "createBooking", with: BOOKING };
const EVENT = { event_id: "evt-evening", experience_id: "exp-canal" };
/** The booking that a step of this name made. */
const idOf = (step: string) => ref(`${step}.body.id`);
const sent = (name: string, webhook: string, payload: object, times = 1) => ({
  name,
  webhook,
  expect: { payload, times },
});
const bookingSent = (step: string) =>
  sent("booking created is sent", "v1.booking.created", { booking_id: idOf(step), ...EVENT });
const entrySent = (times = 1) =>
  sent("journal entry created is sent", "v1.journal_entry.created", { journal_entry_id: { $type: "string" } }, times);
/** The booking of a step is cancelled, and what is sent of that, in whichever order. */
const cancelled = (step: string) => [
  {
    name: "cancel booking",
    act: "cancelBooking",
    with: { booking_id: idOf(step), refund: "full" },
    expect: {
      result: {
        status: "CANCELLED",
        ...EVENT,
        id: idOf(step),
        tickets: [{ status: "VOIDED", items: BOOKING.items }],
      },
    },
  },
  sent("booking cancelled is sent", "v1.booking.cancelled", { booking_id: idOf(step), ...EVENT }),
  sent("journal entry created is sent 2", "v1.journal_entry.created", {
    journal_entry_id: ref("cancel booking.facts[3].id"),
  }),
];

/** Another signal ends it as SIGTERM does. */
const SIGNALS = ["SIGINT", "SIGTERM", ...(process.env.SANDBOX_LONG ? (["SIGHUP"] as const) : [])] as const;

test.each(SIGNALS)("it continues until %s, and writes the recording", async (signal) => {
  const world = await sandbox.world();
  const file = fileOf(signal);
  const recording = startSandboxCommand(["record", file, "--url", sandbox.url, "--world", world.id]);
  await recording.shows("Press Ctrl-C to stop");
  const { id } = await book(world);
  await world.act("cancelBooking", { booking_id: id, refund: "full" });
  await world.clock.advance("PT12H");
  if (signal === "SIGINT") await recording.shows(/clock .*due/);
  expect(existsSync(file)).toBe(false);
  const { code, stdout } = await recording.stop(signal);
  expect(stdout).toMatch(/: \d+ steps from 3 entries of the log\.\n$/);
  expect(code).toBe(0);
  const steps = stepsIn(file);
  const at = steps.findIndex(({ advance }) => advance);
  expect(inOrder(steps.slice(0, at))).toEqual(
    inOrder([
      { ...BOOKED, expect: { status: 201, body: { status: "ACTIVE" } } },
      entrySent(),
      bookingSent("create booking"),
      ...cancelled("create booking"),
    ]),
  );
  const attached = ["journal entry created is sent.payload.journal_entry_id", "cancel booking.facts[3].id"];
  const completed = ["evt-on-the-water", "evt-canal-08", "evt-evening"];
  expect(steps[at]).toEqual({
    name: "the clock moves by PT12H",
    advance: "PT12H",
    expect: {
      receipt: [
        ...attached.map((id) => ({ what: "documentAttached", id: ref(id) })),
        { what: "checkoutLapsed", id: "bkg-processing" },
        ...completed.map((id) => ({ what: "eventCompleted", id })),
      ],
    },
  });
  expect(steps.slice(at + 1).map(({ name }) => name)).toEqual([
    "journal entry document attached is sent",
    "journal entry document attached is sent 2",
    "event completed is sent",
    "event completed is sent 2",
    "event completed is sent 3",
    ...[3, 4, 5, 6].map((nth) => `journal entry created is sent ${nth}`),
  ]);
  expect(readFileSync(file, "utf8")).not.toContain(id);
  await plays(file);
});

test("a killed recorder leaves nothing behind", async () => {
  const world = await sandbox.world();
  const recording = startSandboxCommand(["record", fileOf("killed"), "--url", sandbox.url, "--world", world.id]);
  await recording.shows("Press Ctrl-C to stop");
  await book(world);
  await recording.shows("POST");
  await recording.stop("SIGKILL");
  expect(readdirSync(folder).filter((name) => name.includes("killed"))).toEqual([]);
});

test("when the sandbox stops, the recording is written", async () => {
  const other = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
  const file = fileOf("stopped");
  const recording = startSandboxCommand(["record", file, "--url", other.url]);
  await recording.shows("Press Ctrl-C to stop");
  await book(other);
  await recording.shows("/v1/bookings");
  await other.close();
  const { code, stderr } = await recording.ended;
  expect(stderr).toContain("has stopped");
  expect(code).toBe(0);
  await plays(file);
});

test("a past time range begins with earlier changes of the world, and nothing else", async () => {
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
  expect(stderr).toContain("The world was changed before: the scenario begins with 2 earlier entries of the log.");
  const looked = {
    name: "get booking",
    call: "getBooking",
    with: { bookingId: idOf("create booking") },
    expect: { status: 200, body: { status: "ACTIVE", ...EVENT, id: idOf("create booking") } },
  };
  expect(storyIn(file)).toEqual({
    title: "A look",
    ...BEGINNING,
    steps: [BOOKED, { name: "the clock moves by PT1H", advance: "PT1H" }, looked],
  });
  await plays(file);
  expect((await record(world, fileOf("all"), "--since", "start")).code).toBe(0);
  const [first, ...rest] = stepsIn(fileOf("all"));
  const items = ["loc-harbour", "loc-nyhavn", "loc-new-york"].map((id) => ({ id }));
  expect(first).toEqual({ name: "list locations", call: "listLocations", expect: { status: 200, body: { items } } });
  expect(rest.filter(({ webhook }) => webhook === undefined).map(({ name }) => name)).toEqual([
    "create booking",
    "the clock moves by PT1H",
    "get booking",
    "cancel booking",
  ]);
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
  expect(stepsIn(file)).toEqual([
    { name: "create key", act: "createKey", with: { name: "Partner", scopes: ["booking.read"] } },
    {
      name: "list bookings is refused",
      call: "listBookings",
      as: ["location.read"],
      with: { limit: 1 },
      expect: { status: 403, body: { code: "UNAUTHORIZED" } },
    },
  ]);
  await plays(file);
});

test("injected faults and overrides are recorded, and equal steps are recorded once", async () => {
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
  const { steps, ...head } = storyIn(file);
  const { customer, items, ...said } = BOOKING;
  expect(head).toEqual({
    title: "Faults",
    ...BEGINNING,
    assume: { "booking-create-status": "200" },
    given: { customer, items },
  });
  const given = { ...BOOKED, with: { ...said, customer: ref("given.customer"), items: ref("given.items") } };
  expect(inOrder(steps)).toEqual(
    inOrder([
      { name: "a fault of create booking", fault: { operation: "createBooking", status: 503, times: 1 } },
      { ...given, name: "create booking is refused", expect: { status: 503, body: { code: "SERVICE_UNAVAILABLE" } } },
      { name: "get me", call: "getMe", repeat: { times: 5 }, expect: { statuses: { 200: 5 } } },
      { ...given, expect: { status: 200, body: { status: "ACTIVE" } } },
      entrySent(),
      bookingSent("create booking"),
    ]),
  );
  await plays(file);
});

test("no file is replaced without confirmation, and no file is created without activity", async () => {
  const world = await sandbox.world();
  const file = fileOf("twice");
  const refused = async (path: string, ...words: string[]) => {
    const { code, stderr } = await record(world, path, ...words);
    return `${code} ${stderr}`;
  };
  expect(await refused(file, "--since", "start")).toBe(
    `1 NOT_RECORDABLE: Nothing happened in the world ${world.id}.\n`,
  );
  expect(existsSync(file)).toBe(false);
  await book(world);
  expect((await record(world, file, "--since", "start", "--json")).code).toBe(0);
  expect(await refused(file, "--since", "start")).toMatch(/^2 .*--force/);
  expect((await record(world, file, "--since", "start", "--force")).code).toBe(0);
  expect(await refused(join(folder, "no", "x.yaml"))).toMatch(/^2 .*There is no folder/);
});

test("a world with a beginning that can't be recorded is rejected with advice", async () => {
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
    expect(stdout).toContain("Reset the world: what happens from then on can be recorded.");
  }
  await world.reset();
  await book(world);
  expect((await record(world, fileOf("anew"), "--since", "start")).code).toBe(0);
  await plays(fileOf("anew"));
  const { code, stderr } = await record(world, fileOf("no"), "--since", "req-none-1");
  expect([code, stderr]).toEqual([1, expect.stringContaining("The log has no entry req-none-1")]);
});

test("activity that can't be expressed as a step is omitted and reported", async () => {
  const world = await sandbox.world();
  const headers = { authorization: `Bearer ${await world.token()}`, "content-type": "application/json" };
  await fetch(`${world.url}/v1/bookings`, { method: "POST", headers, body: "[1]" });
  await fetch(`${world.url}/v1/boats`, { headers });
  await runHere(["trigger", "v1.booking.created", "--url", sandbox.url, "--world", world.id]);
  await book(world);
  const file = fileOf("left-out");
  const { stderr } = await record(world, file, "--since", "start");
  expect(stderr).toContain("Left out: POST /v1/bookings has a body that is no object.");
  const steps = stepsIn(file);
  expect(steps[0]).toEqual({
    name: "trigger booking created",
    trigger: "v1.booking.created",
    expect: {
      result: {
        status: "ACTIVE",
        ...EVENT,
        event_id: "evt-canal-08",
        tickets: [{ status: "ACTIVE", items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }] }],
      },
    },
  });
  expect(namesIn(file).sort()).toEqual([
    "booking created is sent",
    "booking created is sent 2",
    "create booking",
    "journal entry created is sent",
    "trigger booking created",
  ]);
  expect(readFileSync(file, "utf8")).toMatch(/^# Left out: POST \/v1\/bookings has a body/);
  await plays(file);
});

test("the recording is played once in a separate world, unless this is disabled", async () => {
  const worlds = async () =>
    ((await (await fetch(`${sandbox.controlUrl}/worlds`)).json()) as { items: object[] }).items;
  const world = await sandbox.world();
  await book(world);
  const before = await worlds();
  const [played, unplayed] = [fileOf("played"), fileOf("unplayed")];
  const words = `${played}: 3 steps from 2 entries of the log.\n`;
  expect(await record(world, played, "--since", "start")).toEqual({
    code: 0,
    stdout: words,
    stderr: `The scenario passes: \`sandbox play ${played}\`.\n`,
  });
  expect(await worlds()).toHaveLength(before.length);
  expect(await record(world, unplayed, "--since", "start", "--no-check")).toEqual({
    code: 0,
    stdout: words.replace(played, unplayed),
    stderr: `Play it with \`sandbox play ${unplayed}\`.\n`,
  });
});

test("a recording that does not play is kept, and the differing step is reported with its position", async () => {
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
    const problem = `${file}:${line}:5: get event: status wanted 200, came 404`;
    expect(stderr.split("\n")).toContain(problem);
    expect(stderr).toContain(`${file} was written, but fails.`);
    expect(code).toBe(1);
    expect(JSON.parse((await runHere([...words, "--force", "--json"])).stdout).faults).toContain(problem);
  } finally {
    await other.close();
  }
});

test("a world of the start's fixture folder is recorded with the folder, and plays", async () => {
  const fixture = join(folder, "my-tours");
  cpSync("fixtures/empty", fixture, { recursive: true });
  const other = await startSandbox({ fixture });
  try {
    const named = await other.world({ fixture: "my-tours" });
    await named.act("submitConsent", { email: "anna@example.com", full_name: "Anna" });
    const file = fileOf("own-folder");
    const words = ["record", file, "--url", other.url, "--world", named.id, "--since", "start"];
    const { code, stderr: how } = await runHere(words);
    expect([code, how]).toEqual([0, `The scenario passes: \`sandbox play ${file}\`.\n`]);
    expect((storyIn(file) as unknown as { fixture: string }).fixture).toBe("./my-tours");
    const far = join(makeTempFolder(), "story.yaml");
    const { stderr } = await runHere(words.map((word) => (word === file ? far : word)).concat("--no-check"));
    expect(stderr).toContain(`neither in this folder nor next to ${far}. Write the path of its folder in \`fixture\`.`);
  } finally {
    await other.close();
  }
});

test("any scenario is written so that YAML parses the same", () => {
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
      expect(parse(formatRecording({ scenario, leftOut: ["a\nb"] }))).toEqual(scenario);
    }),
    { numRuns: 30 },
  );
});
