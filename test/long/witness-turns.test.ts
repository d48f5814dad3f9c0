// A witness judges on a node that answers others meanwhile. Runs of 10,000 requests, as many as it reads, of the shapes that are the worst
// for one check or another: no check may hold the processor for long. Counted is processor time, so a busy machine changes nothing.
import { openSync, readSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { documentInForce } from "../../src/sandbox.ts";
import { essenceOf } from "../../src/verdict/booked.ts";

import { type Drill, isLinter } from "../../src/verdict/check.ts";
import { checks } from "../../src/verdict/checks/index.ts";
import { lint } from "../../src/verdict/lint/index.ts";
import { type Observed, sameKey } from "../../src/verdict/observed.ts";
import { judgedTogether } from "../../src/verdict/shared-run.ts";

const MOST = 10_000;
/** Measured are 10 to 45 ms; what grows by the square of the requests takes 900 and more. */
const LIMIT_MS = 250;

const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
const bytes = Buffer.alloc(80);
const used = () => Number.parseInt(bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0)), 10) / 1e6;

type Shape = (at: number) => {
  method: string;
  operation: string;
  path: string;
  status: number;
  [more: string]: unknown;
};

const guest = (at: number) => ({
  event_id: "evt",
  customer: { customer_type: "PRIVATE", name: `Guest ${at}`, email: `guest-${at}@example.com` },
  items: [{ type_id: "adult", item_type: "VARIANT", quantity: 2 }],
  metadata: { ref: `ref-${at}` },
});
const booked = (at: number, body: object, status = 201): ReturnType<Shape> => ({
  ...{ method: "POST", operation: "createBooking", path: "/v1/bookings", status, body },
  ...(status === 201 ? { made: `bkg-${at}`, answer: { id: `bkg-${at}`, status: "CONFIRMED" } } : {}),
});
const page = (at: number): ReturnType<Shape> => ({
  ...{ method: "GET", operation: "listBookings", path: "/v1/bookings", status: 200 },
  query: { limit: "20", ...(at % 100 ? { cursor: `c-${at - 1}` } : {}) },
  answer: {
    items: Array.from({ length: 10 }, (_, each) => ({ id: `bkg-${at * 10 + each}` })),
    next: at % 100 < 99 ? `c-${at}` : "",
  },
});
const read = (at: number): ReturnType<Shape> => ({
  ...{ method: "GET", operation: "getBooking", path: `/v1/bookings/bkg-${at}`, status: 200 },
  answer: { id: `bkg-${at}`, status: "CONFIRMED" },
});

const SHAPES: Readonly<Record<string, Shape>> = {
  "bookings and reads of each": (at) => (at % 2 ? read(at - 1) : booked(at, guest(at))),
  "the same booking again and again": (at) => booked(at, guest(0)),
  "pages of lists": (at) => (at === 0 ? booked(at, guest(at)) : page(at)),
  "refused bookings, each another": (at) =>
    at === 0 ? booked(at, guest(at)) : { ...booked(at, guest(at), 409), code: "NOT_ENOUGH_RESOURCES" },
  "the same invalid booking": (at) => (at === 0 ? booked(at, guest(at)) : booked(at, guest(1), 400)),
  "reads that are forbidden": (at) => ({ ...read(at), status: at < 10 ? 200 : 403 }),
  "one list, polled": () => ({ ...page(0), query: {}, answer: { items: [] } }),
};

const wall = (at: number) => new Date(1_900_000_000_000 + at * 25).toISOString();

/** Without a drill. */
function runOf(shape: Shape): Observed {
  const requests = Array.from({ length: MOST }, (_, at) => {
    const { made, body = null, query = {}, answer = null, ...more } = shape(at);
    return {
      ...{ kind: "request", seq: at * 2 + 1, id: `req-${at}`, at: wall(at), wall_at: wall(at), duration_ms: 5 },
      ...{ world: "default", client_id: "client", bearer_mark: "mark", touched: [], faults: [], ...more },
      facts: made === undefined ? [] : [{ fact: "booking.created", id: made }],
      request: { query, headers: {}, body },
      answer: { headers: {}, body: answer },
    };
  });
  const bookings = requests.flatMap(({ facts: [fact], request: { body } }) =>
    fact ? [{ ...(body as object), id: fact.id, status: "CONFIRMED" }] : [],
  );
  const messages = Array.from({ length: 1000 }, (_, at) => ({
    ...{ id: `msg-${at}`, kind: "v1.booking.created", created_at: wall(at) },
    body: { payload: { booking_id: `bkg-${at % 500}` } },
    deliveries: [{ attempts: [{ answer: { status: 204 }, outcome: "ACCEPTED", duration_ms: 3 }] }],
  }));
  const run = {
    ...{ world: "default", requests, entries: requests, deliveries: [], messages, bookings, subscriptions: [] },
    ...{ armed: [], ended: { code: 0, output: "" }, probe: undefined, took_ms: 1000 },
    connection: { client_secret: "default.a-secret-of-a-client", webhook_secret: "whsec_YSBzZWNyZXQgb2YgYSB3ZWJob29r" },
    service: { scopesOf: new Map(), needsLanguage: new Set(["listBookings"]) },
  } as unknown as Observed;
  // As `judgeRuns` does in slices of time.
  for (const request of run.requests) [sameKey(request), essenceOf(request)];
  return run;
}

/** The same run with this drill, in entries of its own. */
function hitBy(run: Observed, name: string, { faults = [] }: Drill): Observed {
  const status = faults[0]?.status;
  const hit = { faults: [{ name, did: "failed" }], ...(status === undefined ? {} : { status }) };
  const requests = run.requests.map((each, at) => ({ ...each, ...(at < 4 || at % 50 === 0 ? hit : {}) }));
  const armed = faults.map((each) => ({ ...each, name, hits: 4 }));
  const messages = run.messages.map((each) => ({
    ...each,
    deliveries: each.deliveries.map(({ attempts }) => ({
      attempts: attempts.map((one) => ({ ...one, fault: { name } })),
    })),
  }));
  return { ...run, requests, entries: requests, messages, armed } as unknown as Observed;
}

it.runIf(process.platform === "linux").each(Object.keys(SHAPES))("No check takes long by itself over %s", (name) => {
  const shape = SHAPES[name] as Shape;
  const [control, second] = [runOf(shape), runOf(shape)];
  const slow: string[] = [];
  let judged = 0;
  const timed = <T>(what: string, work: () => T): T => {
    const before = used();
    const made = work();
    if (used() - before > LIMIT_MS) slow.push(`${what}: ${Math.round(used() - before)} ms`);
    judged++;
    return made;
  };
  for (const check of checks) {
    if (isLinter(check)) {
      timed(check.id, () => check.lint(second));
      continue;
    }
    if (timed(`${check.id} missing`, () => check.missing?.(control)) !== undefined) continue;
    for (const drill of timed(`${check.id} drills`, () => check.drills(control))) {
      const named = [check.id, drill.name].filter(Boolean).join(" ");
      const observed = hitBy(second, named, drill);
      timed(named, () => check.judge(observed, control, drill));
      if (drill.shares) timed(`${named}, with others`, () => judgedTogether({ check, drill }, observed, control));
    }
  }
  expect(slow).toEqual([]);
  expect(judged).toBeGreaterThan(checks.length);
});

it.runIf(process.platform === "linux")("No turn is long while a sandbox judges by its log", async () => {
  const { requests, subscriptions } = runOf(SHAPES["bookings and reads of each"] as Shape);
  let [longest, isOver] = [0, false];
  const watching = (async () => {
    for (let before = used(); !isOver; before = used()) {
      await turn();
      longest = Math.max(longest, used() - before);
    }
  })();
  const document = documentInForce([]);
  // Copies, whose keys nobody has made yet.
  const logged = requests.map((each) => ({ ...each, request: { ...each.request } })) as typeof requests;
  const results = await lint({ requests: logged, subscriptions: subscriptions as object[], document });
  isOver = true;
  await watching;
  expect(results.map(({ id, outcome }) => [id, outcome])).toContainEqual(["BOOK-03", "pass"]);
  expect(longest).toBeLessThan(LIMIT_MS);
});
