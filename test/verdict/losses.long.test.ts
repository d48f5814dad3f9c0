// Programs that lose something in a way that the careless ones of test/verdict/programs do not: what they do anyway hides it.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { extent } from "../extent.ts";
import { makeTempFolder } from "../temp-folder.ts";

const folder = makeTempFolder();

/** What the programs begin with: `call`, which answers with the status and the body, and `known`, which they leave for the probe. */
const HEAD = `
import { writeFileSync } from "node:fs";
const { env } = process;
const known = [];
process.on("exit", () => writeFileSync(env.SANDBOX_RUN_FOLDER + "/known.json", JSON.stringify(known)));
let token;
async function login() {
  const form = { grant_type: "client_credentials", audience: env.SANDBOX_URL, client_id: env.SANDBOX_CLIENT_ID };
  const body = new URLSearchParams({ ...form, client_secret: env.SANDBOX_CLIENT_SECRET });
  token = (await (await fetch(env.SANDBOX_TOKEN_URL, { method: "POST", body })).json()).access_token;
}
async function call(path, how = {}) {
  if (!token) await login();
  const headers = { authorization: "Bearer " + token, "accept-language": "en", "content-type": "application/json" };
  const answer = await fetch(env.SANDBOX_URL + path, { ...how, headers });
  return { status: answer.status, body: await answer.json() };
}
`;

const ORDER = `
const customer = { customer_type: "PRIVATE", name: "Anna Holm", email: "anna@example.com", phone: "+4520123456" };
customer.address = { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" };
const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }];
const order = { event_id: "evt-tomorrow-evening", locale: "da", customer, items, metadata: { order: "1" } };`;

/** Outcome and sentence of the one check; `known` is what the probe prints where there is one. */
async function judged(check: string, text: string, { probes = false, more = [] as string[] } = {}): Promise<string> {
  const path = join(folder, `${check}.mjs`);
  writeFileSync(path, HEAD + text);
  const probe = probes ? ["--probe", "cat $SANDBOX_RUN_FOLDER/known.json"] : [];
  const ran = await runHere(["check", "--only", check, "--json", ...more, ...probe, "--", "node", path]);
  const [result] = JSON.parse(ran.stdout).results;
  return `${result.outcome}: ${result.says}`;
}

describe("A request that was rejected with its token", () => {
  const LOSES = `
const read = async (path) => {
  const { status, body } = await call(path);
  if (status !== 401) return body.items;
  await login();
  return [];
};`;

  it("is not repeated by an equal later request that is made anyway", async () => {
    const text = `${LOSES}
for (const path of ["/v1/bookings?limit=5", "/v1/events?limit=5", "/v1/bookings?limit=5", "/v1/events?limit=5"]) await read(path);`;
    expect(await judged("AUTH-01", text)).toBe("warn: after 401 the request was not repeated: GET listEvents");
  });

  it("can be the last of several equal ones, which only a probe distinguishes from a shorter wait", async () => {
    const text = `${LOSES}
await read("/v1/events?limit=5");
for (let turn = 0; turn < 2; turn++) known.push(...(await read("/v1/bookings?limit=5")));`;
    expect(await judged("AUTH-01", text)).toContain("undecided: after 401 it called listBookings once less");
    expect(await judged("AUTH-01", text, { probes: true })).toBe(
      "fail: after 401 the result differs from the control run: the program's own state differs",
    );
  });
});

describe("A message to a receiver", () => {
  const BOOK = `
import { createServer } from "node:http";
const server = createServer(async (request, answer) => {
  let raw = "";
  for await (const piece of request) raw += piece;
  answer.writeHead(takes(JSON.parse(raw)) ? 204 : 500).end();
}).listen(Number(env.PORT), "127.0.0.1");
${ORDER}
const booking = (await call("/v1/bookings", { method: "POST", body: JSON.stringify(order) })).body;`;
  const END = `
await new Promise((resolve) => setTimeout(resolve, 1000));
server.close();
server.closeAllConnections();`;
  const more = ["--webhook-url", "http://127.0.0.1:{port}/hooks"];

  it("that is never sent is not found by a read directly after the booking", async () => {
    const text = `const takes = ({ type }) => known.push(type);${BOOK}
await call("/v1/bookings/" + booking.id);${END}
known.sort();`;
    const lost = "fail: the program never learned of the lost message's subject: the program's own state differs";
    expect(await judged("HOOK-04", text, { more, probes: true })).toBe(lost);
    // As a list at night, whatever the probe counts.
    const found = "pass: the subject of the lost message was read later";
    const reads = `${text}\nawait call("/v1/bookings/" + booking.id);`;
    expect(await judged("HOOK-04", reads, { more, probes: true })).toBe(found);
  });

  /** How it refuses what is not genuine; that it dies of it is tried by hand, as each needs runs of its own. */
  const REFUSALS = [
    ["HOOK-01", "return answer.writeHead(401).end();", "pass: messages that are not genuine were rejected"],
    [
      "HOOK-01",
      "answer.writeHead(401).end();",
      "fail: it did not accept a message that is not genuine: the program's own state differs",
    ],
    [
      "HOOK-01",
      "return answer.writeHead(302, { location: '/' }).end();",
      "warn: a message that is not genuine received 302 instead of 4xx",
    ],
    ["HOOK-01", "process.exit(4);", "fail: it did not accept a message that is not genuine: it ended with exit code 4"],
    // It knows one secret.
    ["HOOK-06", "process.exit(4);", "fail: after the rotation it ended with exit code 4"],
  ] as const;
  it.each(REFUSALS.slice(0, extent(2, 2, REFUSALS.length)))(
    "that is not genuine is rejected with 4xx, and leaves nothing behind: %s, %s",
    async (check, refused, says) => {
      const text = `
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
const secret = Buffer.from(env.SANDBOX_WEBHOOK_SECRET.replace("whsec_", ""), "base64");
const server = createServer(async (request, answer) => {
  let raw = "";
  for await (const piece of request) raw += piece;
  const { "webhook-id": id, "webhook-timestamp": sent, "webhook-signature": given } = request.headers;
  const isNew = Math.abs(Date.now() / 1000 - Number(sent)) < 300;
  const isGenuine = isNew && given === createHmac("sha256", secret).update(id + "." + sent + "." + raw).digest("base64");
  if (!isGenuine) ${refused}
  known.push(JSON.parse(raw).type);
  if (isGenuine) answer.writeHead(204).end();
}).listen(Number(env.PORT), "127.0.0.1");
${ORDER}
const booking = (await call("/v1/bookings", { method: "POST", body: JSON.stringify(order) })).body;${END}`;
      expect(await judged(check, text, { more, probes: true })).toBe(says);
    },
  );

  it("that is sent twice gets 2xx both times", async () => {
    const seen = "const seen = new Set();\nconst takes = ({ id }) => !seen.has(id) && seen.add(id) && known.push(id);";
    expect(await judged("HOOK-02", `${seen}${BOOK}${END}`, { more, probes: true })).toBe(
      "warn: a duplicate message did not receive 2xx, so the service would retry it",
    );
  });

  it("of an unknown kind ends no program", async () => {
    const kinds = '["v1.booking.created", "v1.journal_entry.created"]';
    const dies = `const takes = ({ type }) => ${kinds}.includes(type) || setTimeout(() => process.exit(3), 10);${BOOK}${END}`;
    expect(await judged("TOL-04", dies, { more })).toBe(
      "fail: after a message of an unknown kind it ended with exit code 3",
    );
  });

  it("with unknown fields must be accepted", async () => {
    const strict = `const takes = (message) => Object.keys(message).length === 4;${BOOK}${END}`;
    expect(await judged("TOL-02", strict, { more })).toBe("fail: a message with unknown fields did not receive 2xx");
    const silent = `const takes = (message) => Object.keys(message).length > 4 || known.push(message.type);${BOOK}${END}`;
    const left = "fail: after unknown fields: the program's own state differs";
    expect(await judged("TOL-02", silent, { more, probes: true })).toBe(left);
    const whole = `const takes = (message) => known.push(Object.keys(message.payload), message);${BOOK}${END}
known.splice(0, known.length, known.filter((each) => each.type === "v1.booking.created"));`;
    expect(await judged("TOL-02", whole, { more, probes: true })).toContain("pass: ");
  });
});

it("A burst of 503 can delay a program's data, and must not lose any", async () => {
  const text = (give: string) => `${ORDER}
const patient = async (path, how) => {
  for (;;) {
    const { status, body } = await call(path, how);
    if (status !== 503) return body.id;
    ${give}
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
while (!token) await login();
const reads = ["bkg-evening", "bkg-unpaid", "bkg-free", "bkg-thirds", "bkg-moved", "bkg-processing", "bkg-half-back"];
// Side by side, so that what is repeated comes last.
await Promise.all(reads.map(async (id) => known.push(await patient("/v1/bookings/" + id))));
known.push(await patient("/v1/bookings", { method: "POST", body: JSON.stringify(order) }));`;
  const judgedWith = (give: string) => judged("RETRY-06", text(give), { probes: true });
  expect(await judgedWith("")).toBe("pass: all bookings exist");
  const left = "fail: all bookings exist: the program's own state differs";
  expect(await judgedWith('if (how === undefined) return "unknown";')).toBe(left);
});

it("The lines of an address can be empty if the address exists", async () => {
  const text = `const { address } = (await call("/v1/bookings/bkg-evening")).body.customer;
if (address) address.address_lines[0].toUpperCase();`;
  expect(await judged("TOL-03", text)).toBe(
    "fail: after a response with missing optional fields it ended with exit code 1",
  );
});

it.each([
  ["pass: every booking has a reference", "order: name"],
  ["warn: 2 of 2 bookings, of different guests or events, have the same metadata", 'channel: "web", order: ""'],
])("Bookings of two guests: %s", async (says, metadata) => {
  const text = `${ORDER}
for (const name of ["Anna Holm", "Bo Lind"]) {
  const body = { ...order, customer: { ...customer, name }, metadata: { ${metadata} } };
  await call("/v1/bookings", { method: "POST", body: JSON.stringify(body) });
}`;
  expect(await judged("BOOK-03", text)).toContain(says);
});

describe("A local day far east of UTC", () => {
  const fixture = join(folder, "auckland");
  cpSync(new URL("../../fixtures/harbour-tours", import.meta.url), fixture, { recursive: true });
  const locations = join(fixture, "locations.json");
  writeFileSync(locations, readFileSync(locations, "utf8").replaceAll("Europe/Copenhagen", "Pacific/Auckland"));
  const more = ["--fixture", fixture];

  it.each([
    ["pass: a day is listed as a local day", "from=2030-12-14T11:00:00Z&to=2030-12-15T11:00:00Z"],
    ["pass: a day is listed as a local day", "from=2030-12-15T00:00:00&to=2030-12-16T00:00:00"],
    // By UTC it begins at one in the afternoon.
    ["warn: the list of a day lacks the tour at 00:30", "from=2030-12-15T00:00:00Z&to=2030-12-16T00:00:00Z"],
  ])("%s, with %s", async (says, query) => {
    const text = `await call("/v1/events?${query}");`;
    expect(await judged("TIME-01", text, { more })).toContain(says);
  });

  it.each([
    ["00", /of the next: its own state has the tour of the next day instead/],
    // A program may want 24 hours from another hour on.
    ["03", /^warn: the list of a day/],
  ])("is judged by the state of a program that reads 24 hours from %s:00 UTC on", async (hour, says) => {
    const text = `const { body } = await call("/v1/events?from=2030-12-15T${hour}:00:00Z&to=2030-12-16T${hour}:00:00Z");
known.push(...body.items.map(({ id }) => id).sort());`;
    expect(await judged("TIME-01", text, { more, probes: true })).toMatch(says);
  });
});
