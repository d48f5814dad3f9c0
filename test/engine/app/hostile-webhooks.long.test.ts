// Subscriptions, messages and deliveries of an imported document, changed at every member to what an attacker would write there: the import is
// refused with path and value, or is harmless. Nothing fails, nothing is sent where it must not go, and no header is slipped in. With
// SANDBOX_LONG=1 one of five changes is tried, otherwise fewer, always the same; SANDBOX_HOSTILE=1 tries all.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { extent } from "../../extent.ts";
import { type Answered, openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";
import { advance, book, smallWorld } from "../operations/kit.ts";

/** One of so many changes is tried: one takes as long as ten requests. */
const EACH = Number(process.env.SANDBOX_HOSTILE ?? extent(23, 23, 5));

/** Of processor time for one change, with all that is asked afterwards; the usual is 30. */
const MOST_MS = 5000;

type Json = Answered["body"];
type Path = readonly (string | number)[];

let sandbox: TestSandbox;
let world: TestWorld;
let text: string;
/** Where nothing may be sent. */
let trap: string;
/** What came where it may, and what came where it must not. */
const [received, trapped]: [IncomingHttpHeaders[], string[]] = [[], []];
const servers: Server[] = [];

async function listen(arrived: (headers: IncomingHttpHeaders, url: string) => void): Promise<string> {
  const server = createServer((request, answer) => {
    arrived(request.headers, request.url ?? "");
    request.resume().on("end", () => answer.writeHead(204).end());
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A subscription that is heard and one whose receiver has gone, both with an older secret too, and a booking that both are told of. */
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "empty" });
  world = await smallWorld(sandbox);
  const hook = await listen((headers) => received.push(headers));
  trap = await listen((_, url) => trapped.push(url));
  for (const url of [hook, "http://127.0.0.1:9/"]) {
    const body = { url: `${url}/hook`, event_types: ["v1.booking.created"], state: "ENABLED", description: "…" };
    const { body: made } = await world.call("createWebhookSubscription", { body });
    await world.control("post", `webhook-subscriptions/${made.id}/rotate-secret`, {});
  }
  await book(world, "evt-noon");
  await advance(world, "PT1M");
  const { body } = await world.control("get", "state");
  delete body.checksum;
  const pending = body.collections.deliveries.find(({ state }: Json) => state === "PENDING");
  pending.resend = { copies: 2, tamper: "body" };
  text = JSON.stringify(body);
  expect(body.collections.deliveries.map(({ state }: Json) => state).sort()).toEqual(["DELIVERED", "PENDING"]);
});
afterAll(async () => {
  await sandbox.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const INJECTED = "a\r\nx-injected: 1";
const INSTANTS = [
  "0000-01-01T00:00:00.000Z",
  "1970-01-01T00:00:00.000Z",
  "2005-06-01T09:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
  "+275760-09-13T00:00:00.000Z",
  "-271821-04-20T00:00:00.000Z",
  "2030-02-30T09:00:00.000Z",
  "2030-06-01T09:00:00+02:00",
];
const ADDRESSES = () => [
  `${trap}/trap`,
  `${trap.replace("http://", "http://user:pw@")}/`,
  `${trap.replace("http:", "ftp:")}/`,
  `${trap}/\r\nx-injected: 1`,
  `${trap}#\u0000`,
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/plain,x",
  "//127.0.0.1/",
  "http://169.254.169.254/latest/meta-data",
  "http://[::ffff:a9fe:a9fe]/",
  "http://2852039166/",
  "http://metadata.google.internal/",
  "http://127.0.0.1:0/",
  "http://receiver.invalid/",
  `http://${"a".repeat(70_000)}.example/`,
];
const TEXTS = [
  "",
  "\u0000",
  "\u001b[2J\u009b",
  "\ud800",
  "\u2028",
  INJECTED,
  "x".repeat(300_000),
  "__proto__",
  "constructor",
];
const NUMBERS = [-1, 0, 0.5, 1e9, 999_999_999_999, 2 ** 53, 1e300];
const OTHERS = [
  null,
  true,
  [],
  {},
  [null],
  [[]],
  Array(20_000).fill("v1.booking.created"),
  JSON.parse('{"__proto__":{"polluted":1}}'),
];
const SECRETS = [
  `whsec_${"A".repeat(43)}=\r\nx-injected: 1`,
  `whsec_${"A".repeat(43)}`,
  `whsec_${"A".repeat(200_000)}=`,
];
const BODIES = [
  '{"a":',
  "[1]",
  "7",
  `{"a":"${"x".repeat(300_000)}"}`,
  `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
  '{"__proto__":{"polluted":1}}',
];
const HEADERS = [
  { "a\r\nx-injected": "1" },
  { "retry-after": "1e300" },
  { "x-injected": INJECTED },
  JSON.parse('{"__proto__":"x"}'),
];
const STATES = ["PENDING", "DELIVERED", "GIVEN_UP", "DROPPED", "ENABLED", "DISABLED", "pending"];
const values = (whole: Json): unknown[] => {
  const { subscriptions, messages, deliveries, bookings } = whole.collections;
  const ids = [subscriptions, messages, deliveries, bookings].flatMap((rows: Json[]) => rows.map(({ id }) => id));
  return [
    undefined,
    ...INSTANTS,
    ...ADDRESSES(),
    ...TEXTS,
    ...NUMBERS,
    ...OTHERS,
    ...SECRETS,
    ...BODIES,
    ...HEADERS,
    ...STATES,
    ...ids,
  ];
};

/** Of headers, which are all alike, one. */
function* pathsIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== "object" || value === null) return;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  for (const key of path.at(-1) === "headers" ? keys.slice(0, 1) : keys)
    yield* pathsIn((value as Record<string | number, unknown>)[key], [...path, key]);
}

const named = (value: unknown) => JSON.stringify(value)?.slice(0, 60) ?? "nothing";

/** Each member of each record changed to each value. */
function* changes(): Generator<{ name: string; document: Json }> {
  let count = 0;
  const whole = JSON.parse(text);
  for (const collection of ["subscriptions", "messages", "deliveries"])
    for (const at of whole.collections[collection].keys())
      for (const path of pathsIn(whole.collections[collection][at]))
        for (const value of values(whole)) {
          // A subscription may name it, a delivery only what has been.
          if (count++ % EACH !== 0 || (collection === "subscriptions" && value === `${trap}/trap`)) continue;
          const document = JSON.parse(text);
          const holder = path.slice(0, -1).reduce((node, key) => node[key], document.collections[collection][at]);
          if (value === undefined) delete holder[path.at(-1) as string];
          else holder[path.at(-1) as string] = value;
          yield { name: `${[collection, at, ...path].join(".")} = ${named(value)}`, document };
        }
}

/** What is asked, done and waited for in a world that came in; what answers with a fault. */
async function troubles({ collections }: Json): Promise<string[]> {
  const found: string[] = [];
  const note = (what: string, { status, text }: Answered) => {
    if (status >= 500) found.push(`${what}: ${status} ${text.slice(0, 200)}`);
  };
  const [{ id: subscriptionId }] = collections.subscriptions;
  const message = encodeURIComponent(collections.messages.at(-1).id);
  note("list", await world.call("listWebhookSubscriptions", { undocumented: true }));
  note("get", await world.call("getWebhookSubscription", { path: { subscriptionId }, undocumented: true }));
  for (const path of ["messages", `messages/${message}`, "clock/due", "records/deliveries", "log?limit=50", "state"])
    note(path, await world.control("get", path));
  note("signature", await world.control("post", `messages/${message}/signature`, {}));
  note("resend", await world.control("post", `messages/${message}/resend`, { copies: 2 }));
  note("book", await book(world, "evt-noon"));
  note("next", await world.control("post", "clock/advance", { to: "next" }));
  note("two days", await world.control("post", "clock/advance", { by: "P2D" }));
  note("rotate", await world.control("post", `webhook-subscriptions/${subscriptionId}/rotate-secret`, {}));
  note("give up", await world.control("post", `messages/${message}/give-up`, {}));
  const again = await world.control("get", "state");
  const back = await world.control("put", "state", again.body);
  if (back.status !== 200) found.push(`its own export: ${back.status} ${back.text.slice(0, 300)}`);
  return found;
}

it("A document changed at any of their members is refused, or is harmless", { timeout: 3_600_000 }, async () => {
  const wrong: string[] = [];
  let [refused, lived, longest] = [0, 0, 0];
  for (const { name, document } of changes()) {
    const began = process.cpuUsage();
    const answer = await world.control("put", "state", document);
    if (answer.status === 400) {
      refused++;
      if (!/^body(\.[^ ]+)?: /.test(answer.body.message) || answer.body.message.length > 1000)
        wrong.push(`${name}: ${answer.body.message.slice(0, 200)}`);
    } else if (answer.status !== 200) wrong.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`);
    else {
      lived++;
      wrong.push(...(await troubles(document)).map((trouble) => `${name}: ${trouble}`));
    }
    longest = Math.max(longest, process.cpuUsage(began).user / 1000);
  }
  const ids = received.map((headers) => headers["webhook-id"]);
  console.info(`${refused} refused, ${lived} were lived in, ${ids.length} messages came; ${longest.toFixed(0)} ms`);
  expect(longest).toBeLessThan(MOST_MS);
  expect(wrong).toEqual([]);
  expect(trapped).toEqual([]);
  expect(received.filter((headers) => "x-injected" in headers)).toEqual([]);
  expect(({} as Json).polluted).toBeUndefined();
  expect(refused).toBeGreaterThan(lived);
});
