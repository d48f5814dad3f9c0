// What the documents quote of the program's output is what it prints: each is made by running. `npm run docs` writes them anew.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../src/index.ts";
import { describeWorld } from "../../src/library/runners/story.ts";
import { checks } from "../../src/verdict/index.ts";
import { reportVerdict } from "../../src/verdict/report/index.ts";
import { renderSpec } from "../../src/verdict/report/spec.ts";
import { ROWS, reportSoak } from "../../src/verdict/soak/index.ts";
import { weather } from "../../src/verdict/soak/plan.ts";
import { runHere } from "../cli/in-process.ts";
import { BOOKING, CLOCK, call } from "../library/works-anywhere.ts";
import { startLocalServer } from "../local-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { careless, judged, meantBy } from "../verdict/matrix.ts";
import { soaked } from "../verdict/soak/soaked.ts";
import { codeOf, partOf, withPart } from "./markdown.ts";

/** [document, part, what is printed] */
type Quoted = [file: string, name: string, run: () => Promise<string>];
const QUOTED: Quoted[] = [
  ["docs/testing.md", "failed-test", failedTest],
  ["docs/fixtures.md", "mistakes", mistakes],
  ["docs/scenarios.md", "mistakes", mistakesInStory],
  ["docs/why.md", "refusal", refusal],
  ["docs/books.md", "lives", livesOfOrders],
  ["docs/books.md", "against", againstOwnBooks],
  ["docs/checks.md", "gaps", gaps],
];
/** A program is run many times for each. */
const OF_PROGRAMS: Quoted[] = [
  ["docs/checks.md", "difference", soakedMirror],
  ["docs/checks.md", "verdict", verdictOnShop],
  ["docs/checks.md", "sweep", sweptTest],
];
const { SANDBOX_LONG, UPDATE_DOCS } = process.env;
const checked = SANDBOX_LONG || UPDATE_DOCS ? [...QUOTED, ...OF_PROGRAMS] : QUOTED;

describe("Quoted output is made from the code:", () => {
  it.each(checked)("%s, %s", async (file, name, run) => {
    const printed = `\`\`\`text\n${(await run()).trim()}\n\`\`\`\n`;
    if (UPDATE_DOCS) return writeFileSync(file, withPart(file, name, printed));
    expect(numberless(partOf(file, name))).toBe(numberless(printed));
  });
});

async function openSandbox() {
  const sandbox = await startSandbox({ clock: CLOCK });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Beside a test that wants two of one seat, with a receiver that fails. */
async function failedTest(): Promise<string> {
  const receiver = await startLocalServer((_, response) => response.writeHead(500).end());
  const own = receiver.url;
  onTestFinished(() => receiver.close());
  const sandbox = await openSandbox();
  const world = await sandbox.world({ webhookUrl: `${own}/hook`, webhookEvents: ["v1.booking.created"] });
  const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 2 }];
  await call(world, "POST", "/v1/bookings", { ...BOOKING, event_id: "evt-last-seat", items });
  await call(world, "POST", "/v1/bookings", BOOKING);
  const { id } = await world.webhooks.waitFor("v1.booking.created");
  const attempts = async () => (await world.webhooks.all()).find((each) => each.id === id)?.deliveries[0]?.attempts;
  await expect.poll(attempts).toHaveLength(1);
  return (await describeWorld(world, "books the evening")).replaceAll(own, "http://127.0.0.1:3000");
}

/** A shop that books again after a lost answer, and has no probe. */
async function verdictOnShop(): Promise<string> {
  const program = careless.find((each) => meantBy(each) === "RETRY-01") ?? "";
  const ids = ["RETRY-01", "BOOK-02", "HOOK-02", "LANG-01", "PAGE-02", "TIME-01"];
  const found = await judged(program, { only: checks.filter(({ id }) => ids.includes(id)), isSilent: true });
  const view = renderSpec(reportVerdict({ ...found, took_ms: 3400 }), { paint: (_, text) => text, width: 110 });
  // How many requests came before depends on how long the receiver waits.
  const first = Number(/req-[0-9a-f]+-(\d+)/.exec(view)?.[1]);
  return view
    .replaceAll("node retry-01.mjs", "npm test")
    .replaceAll(/req-[0-9a-f]+-(\d+)/g, (_, number) => `req-7f3c0a-${16 + Number(number) - first}`);
}

/** A test that wants the usual status of a new booking. */
async function sweptTest(): Promise<string> {
  const folder = makeTempFolder();
  const file = join(folder, "test.mjs");
  writeFileSync(
    file,
    `import assert from "node:assert/strict";
    import { test } from "node:test";
    const { SANDBOX_URL: url, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID: client_id, SANDBOX_CLIENT_SECRET: client_secret } = process.env;
    const body = new URLSearchParams({ grant_type: "client_credentials", audience: url, client_id, client_secret });
    test("creates a booking", async () => {
      const { access_token } = await (await fetch(SANDBOX_TOKEN_URL, { method: "POST", body })).json();
      const headers = { authorization: "Bearer " + access_token, "content-type": "application/json" };
      const booking = ${JSON.stringify(JSON.stringify(BOOKING))};
      const { status } = await fetch(url + "/v1/bookings", { method: "POST", headers, body: booking });
      assert.equal(status, 201, "expected " + status + " to be 201");
    });`,
  );
  const { stdout } = await runHere(["check", "assumptions", "--", "node", file]);
  return stdout.replaceAll(`node ${file}`, "npm test");
}

/** Orders of harbour-tours that are booked in different ways. */
const LIVES: readonly (readonly [title: string, order: number])[] = [
  ["Paid with a fee, and the tour is over", 1011],
  ["Half refunded; the other half is revenue after the tour", 1024],
  ["Refunded after the tour, with its revenue", 1043],
  ["A gift card pays a part, and a payment the rest", 1066],
];

async function livesOfOrders(): Promise<string> {
  const sandbox = await openSandbox();
  const at = { SANDBOX_URL: sandbox.url };
  const reported: string[] = [];
  for (const [title, order] of LIVES)
    reported.push(
      `# ${title}`,
      (await runHere(["show", String(order)], at)).stdout.split("\n\n", 1)[0]?.replaceAll(/ +$/gm, "") ?? "",
      "",
    );
  return reported.join("\n").replaceAll(/\n{3,}/g, "\n\n");
}

/** Three mistakes in the books of the first orders. */
async function againstOwnBooks(): Promise<string> {
  const sandbox = await openSandbox();
  const folder = makeTempFolder();
  const at = { SANDBOX_URL: sandbox.url };
  const [heading = "", ...rows] = (await runHere(["books", "--format", "csv"], at)).stdout.trimEnd().split("\n");
  const own = rows
    .filter((row) => !row.includes(",REVENUE_RECOGNITION,1042,"))
    .map((row) => (row.includes(",SALE,1001,") ? row.replace("GIFT_CARD_LIABILITY", "BOOKING_REVENUE") : row))
    .map((row) => (row.includes(",SALE,1018,") ? row.replace("2030-05-10", "2030-05-11") : row));
  const file = join(folder, "mine.csv");
  writeFileSync(file, [heading, ...own].join("\n"));
  const { stdout } = await runHere(["books", "compare", file], at);
  return stdout.replaceAll(file, "mine.csv");
}

/** What a log with one list, and no verdict, leaves of a profile of one's own. */
async function gaps(): Promise<string> {
  const folder = makeTempFolder();
  const [log, own] = [join(folder, "log.json"), join(folder, "profiles.yaml")];
  const entry = { kind: "request", operation: "listEvents", status: 200, faults: [] };
  writeFileSync(log, JSON.stringify({ items: [entry] }));
  writeFileSync(own, codeOf("docs/checks.md", "kiosk"));
  const ran = await runHere(["check", "coverage", "--profile", "kiosk", "--profiles", own, "--file", log]);
  return ran.stdout;
}

/** A misspelt member, and an act on a booking that does not exist. */
async function mistakes(): Promise<string> {
  const folder = makeTempFolder();
  const validated = async (file: string, from: string, to: string) => {
    const company = join(folder, file);
    cpSync("docs/starter/my-company", company, { recursive: true });
    const path = join(company, `${file}.json`);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, before.replace(from, to));
    expect(readFileSync(path, "utf8")).not.toBe(before);
    const { stdout } = await runHere(["validate", company]);
    return stdout.replaceAll(company, "/home/anna/shop/my-company");
  };
  const misspelt = await validated("events", '"capacity"', '"capasity"');
  return misspelt + (await validated("history", '"booking_id": "bkg-cancelled"', '"booking_id": "bkg-canceled"'));
}

const STORY = `title: A boat is booked
# The company of the shop.
fixture: ./my-company
steps:
  - name: the tour is there
    call: getEvent
    with: { eventId: evt-evening }
    expect: { status: 200 }

  - name: the host cancels
    act: cancelBooking
    with: { bookingid: bkg-evening }
  - name: it is gone
    call: listBookings
    with: { limt: 1 }
`;

/** A misspelt member of an act, a misspelt parameter, and a fixture with a fault. */
async function mistakesInStory(): Promise<string> {
  const folder = makeTempFolder();
  cpSync("docs/starter/my-company", join(folder, "my-company"), { recursive: true });
  const events = join(folder, "my-company/events.json");
  writeFileSync(events, readFileSync(events, "utf8").replace('"capacity"', '"capasity"'));
  writeFileSync(join(folder, "story.yaml"), STORY);
  const { stdout, stderr } = await runHere(["validate", join(folder, "story.yaml")]);
  // Where the folder is seen from here, nobody can know.
  return (stdout + stderr).replaceAll(`${relative("", folder)}/`, "").replaceAll(folder, "/home/anna/shop");
}

/** Three of one seat are asked for. */
async function refusal(): Promise<string> {
  const sandbox = await openSandbox();
  const world = await sandbox.world();
  const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 3 }];
  await call(world, "POST", "/v1/bookings", { ...BOOKING, event_id: "evt-last-seat", items });
  const { stdout } = await runHere(["why", "--url", sandbox.url, "--world", world.id]);
  return stdout
    .replace(/req-[0-9a-f]+-\d+/g, "req-6fdeb3-7")
    .replace(/\d\d:\d\d:\d\dZ/, "09:02:06Z")
    .replaceAll(` --world ${world.id}`, "");
}

/** Of a program that knows one secret, when nothing else goes wrong. How often it calls is its own affair. */
async function soakedMirror(): Promise<string> {
  const without = ROWS.filter((row) => row in weather || row === "restart");
  const given = ["--rate", "0.4", "--without", without.join(","), "--probe", "node state.js"];
  const own = { command: ["node", "app.js"], given, rate: 0.4, days: 2, seed: "3", dayMs: 200, graceMs: 0 };
  const found = await soaked("secret not rotated", { ...own, without });
  // What else it has not heard of depends on when it asked: what it never heard of does not.
  const differences = found.differences.filter(({ kind }) => kind === "missing").slice(0, 2);
  const text = renderSpec(reportSoak({ ...found, differences, took_ms: 5200 }), {
    paint: (_, word) => word,
    width: 110,
  });
  return text
    .replace(/msg_[0-9a-f]+/g, "msg_9e600865e357")
    .replace(/act-[0-9a-f]+-\d+/g, "act-6fdeb3-7")
    .replace(/\d+ requests, \d+ deliveries/, "12 requests, 96 deliveries");
}

/** Which number a request gets depends on what else is under way. */
function numberless(text: string): string {
  return text.replaceAll(/\b(req-[0-9a-f]{6})-\d+/g, "$1");
}
