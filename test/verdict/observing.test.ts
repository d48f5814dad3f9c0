// What is concluded from runs: which requests count, what is missing beside the control run, which waits grow, what a receiver did, and
// what a list of results amounts to. The runs are made by hand.
import { describe, expect, it } from "vitest";
import { judgeWaits } from "../../src/verdict/back-off.ts";
import { type DrillJudge, judgeDrill } from "../../src/verdict/check.ts";
import { auth } from "../../src/verdict/checks/auth.ts";
import { booking } from "../../src/verdict/checks/booking.ts";
import { paging } from "../../src/verdict/checks/paging.ts";
import { retry } from "../../src/verdict/checks/retry.ts";
import { webhooks } from "../../src/verdict/checks/webhooks.ts";
import { addDifferences, Comparison } from "../../src/verdict/comparison.ts";
import type { VerdictOutcome } from "../../src/verdict/judgement.ts";
import { readBaseline, readIgnores } from "../../src/verdict/known-results.ts";
import {
  explainNoCall,
  type Live,
  type Message,
  type Observed,
  type RequestEntry,
} from "../../src/verdict/observed.ts";
import { findVariations } from "../../src/verdict/program.ts";
import { explainNoReceiver } from "../../src/verdict/receiver.ts";
import { countOutcomes, type Result, toExitCode } from "../../src/verdict/report/check-report.ts";

const START = Date.parse("2030-06-01T09:00:00.000Z");

let seq = 0;
function request(operation: string | null, more: object = {}): RequestEntry {
  seq++;
  const wall_at = new Date(START + seq * 1000).toISOString();
  return {
    kind: "request",
    world: "default",
    seq,
    id: `req-${seq}`,
    method: "GET",
    path: `/v1/${operation}`,
    operation,
    status: 200,
    at: "2030-06-01T09:00:00.000Z",
    wall_at,
    duration_ms: 0,
    faults: [],
    facts: [],
    ...more,
  } as unknown as RequestEntry;
}
const book = (more: object = {}) => request("createBooking", { method: "POST", status: 201, ...more });

const observed = (requests: readonly RequestEntry[], more: object = {}): Observed =>
  ({
    requests,
    entries: requests,
    messages: [],
    deliveries: [],
    bookings: [],
    armed: [],
    ended: { code: 0, output: "" },
    ...more,
  }) as unknown as Observed;

const judgeRun = (check: DrillJudge, run: Observed, control: Observed, drill = "") =>
  judgeDrill(check, new Comparison(run, control, drill));

describe("A list in pages", () => {
  const page = (query: object, ids: readonly string[], next?: string, more: object = {}) =>
    request("listBookings", {
      request: { query, body: null, headers: {} },
      answer: { headers: {}, body: { items: ids.map((id) => ({ id })), ...(next ? { next } : {}) } },
      ...more,
    });
  const whole = [page({ limit: 3 }, ["a", "b", "c"], "one"), page({ limit: 3, cursor: "one" }, ["d"])];
  const lastFive = { limit: 5, sort: "-created_at" };
  const details = ["e", "f", "g"].map((id) => request("getBooking", { path: `/v1/bookings/${id}` }));
  const control = observed([...whole, page(lastFive, ["e", "f", "g", "h", "i"]), ...details]);
  const hit = { faults: [{ name: "PAGE-02", did: "" }] };
  const short = [
    page({ limit: 3 }, ["a"], "half", hit),
    page({ limit: 3, cursor: "half" }, ["b", "c", "d"]),
    page(lastFive, ["e", "f"], "unread", hit),
  ];
  const judgedBy = (requests: readonly RequestEntry[], more: object = {}) => {
    const { outcome, says } = judgeRun(paging["PAGE-02"], observed(requests, more), control, "a short page");
    return [outcome, says];
  };

  it("is judged by itself, not by another list of the same operation", () => {
    expect(judgedBy([...short, ...details.slice(0, 2)])).toEqual(["pass", "it read every list to its end"]);
    expect(judgedBy(short)).toEqual(["fail", "at a short page it ended with exit code 0, without getBooking"]);
  });

  it("is omitted if its own items are missing", () => {
    expect(judgedBy([short[0] as RequestEntry, page(lastFive, ["b", "c", "d"]), ...details])).toEqual([
      "fail",
      "after a short page it missed 3 items: b, c, d …",
    ]);
    expect(judgedBy([...short, ...details], { ended: { code: 1, output: "" } })[0]).toBe("fail");
  });
});

describe("A booking of sold-out items", () => {
  const look = (id: string) => request("getEventAvailability", { path: `/v1/event-availabilities/${id}` });
  const order = (event_id: string, more: object = {}) =>
    book({ request: { query: {}, body: { event_id }, headers: {} }, ...more });
  const refused = (event_id: string) => order(event_id, { status: 409, code: "NOT_ENOUGH_RESOURCES" });
  const full = () => [refused("full"), refused("full")];
  const control = observed([...["a", "b", "c", "d"].map(look), ...full(), order("b"), look("b")]);
  const check = booking["BOOK-01"];
  const judgedBy = (requests: readonly RequestEntry[]) => judgeRun(check, observed(requests), control).outcome;

  it("is of any event that the program has read", () => {
    expect(check.faults?.(control)).toEqual([{ operation: "getEventAvailability", stale: true, times: 4 }]);
    expect(check.missing?.(observed([order("b"), look("b")]))).toBe(
      "the program does not read the remaining seats before it books",
    );
  });

  it("counts against a program that repeats it, but not for a full event that it tries anyway", () => {
    expect(judgedBy([...full(), refused("b")])).toBe("pass");
    expect(judgedBy([...full(), refused("b"), refused("b")])).toBe("warn");
    expect(judgedBy([...full(), order("b")])).toBe("not-exercised");
  });
});

describe("A wait requested by the service", () => {
  const read = (path: string, bearer_mark: string, at: number, more: object = {}) =>
    request("getEvent", { seq: at, path, bearer_mark, wall_at: new Date(START + at).toISOString(), ...more });
  const control = observed([read("/v1/events/a", "one", 0), read("/v1/events/b", "two", 10)]);
  const hit = () => read("/v1/events/a", "one", 0, { status: 429, faults: [{ name: "RETRY-03", did: "" }] });
  const judgedBy = (...later: RequestEntry[]) =>
    judgeRun(retry["RETRY-03"], observed([hit(), ...later]), control).outcome;

  it("is ignored by a program that repeats the request, not by one that reads others in parallel", () => {
    expect(judgedBy(read("/v1/events/a", "one", 2100))).toBe("pass");
    // Clocks differ by up to 100 ms.
    expect([1850, 1950].map((wait) => judgedBy(read("/v1/events/a", "one", wait)))).toEqual(["warn", "pass"]);
    for (const wait of [5, 249, 251, 1500]) expect(judgedBy(read("/v1/events/b", "one", wait))).toBe("pass");
    expect(judgedBy(read("/v1/events/a", "two", 300))).toBe("warn");
    expect(judgedBy()).toBe("not-exercised");
  });
});

describe("A polling program", () => {
  const read = (at: number, more: object = {}) =>
    request("listBookings", { seq: at, wall_at: new Date(START + at).toISOString(), ...more });
  const poll = (turns: number, everyMs: number, more: object = {}) =>
    Array.from({ length: turns }, (_, turn) => read(turn * everyMs, more));
  const refused = (status: number) => ({ status, faults: [{ name: "drill", did: "" }] });
  const control = observed(poll(2, 500), { longerControl: observed(poll(8, 500)) });
  const judge = (id: "RETRY-03" | "RETRY-04", requests: readonly RequestEntry[], of = control) =>
    judgeRun(retry[id], observed(requests), of, "403").outcome;

  it("reads a rejected record again at its next poll", () => {
    const requests = [...poll(6, 500, refused(403)), ...poll(20, 500).slice(6)];
    expect(judge("RETRY-04", requests)).toBe("pass");
    expect(judge("RETRY-04", requests, observed(poll(2, 500)))).toBe("warn");
  });

  it("is none that reads after each message", () => {
    const deliveries = poll(8, 500).map((each) => ({ ...each, attempt: { duration_ms: 0 } }));
    const doorbell = observed(poll(8, 500), { deliveries });
    expect(judge("RETRY-04", poll(6, 20, refused(403)), doorbell)).toBe("pass");
  });

  it("gets a warning if it reads a rejected record more often than in its rounds", () => {
    expect(judge("RETRY-04", poll(6, 20, refused(403)))).toBe("warn");
  });

  it("gets only a warning if its next round begins before the wait is over", () => {
    expect(judge("RETRY-03", [read(0, refused(429)), ...poll(8, 500).slice(1)])).toBe("warn");
  });
});

describe("A revoked token", () => {
  const token = () => request("createToken", { method: "POST" });
  const refused = (name: string) => request(name, { status: 401 });

  it.each<[number, number, VerdictOutcome, string]>([
    [1, 2, "pass", "after 401 it requested a new token and repeated the request"],
    [1, 3, "warn", "after one 401 it requested 3 tokens"],
    [3, 3, "pass", "after 401 it requested a new token and repeated the request"],
    [3, 4, "warn", "after 3 times 401 it requested 4 tokens"],
  ])("can be replaced by each rejected request: %i rejected, %i tokens", (rejected, tokens, outcome, says) => {
    const before = ["getMe", "getEvent", "getOrder"].slice(0, rejected).map(refused);
    const run = observed([...before, ...Array.from({ length: tokens }, token), request("getMe")]);
    expect(judgeRun(auth["AUTH-01"], run, observed([request("getMe")]))).toMatchObject({ outcome, says });
  });

  it("is not replaced if the program continues without the rejected request", () => {
    const control = observed([request("getEvent"), request("getEvent"), request("getMe")]);
    const judgedBy = (...later: string[]) =>
      judgeRun(
        auth["AUTH-01"],
        observed([refused("getEvent"), token(), ...later.map((each) => request(each))]),
        control,
      );
    expect(judgedBy("getMe", "getEvent")).toMatchObject({
      outcome: "warn",
      says: "after 401 the request was not repeated: GET getEvent",
    });
    expect(judgedBy("getEvent", "getMe").outcome).toBe("undecided");
  });

  it("is replaced if the request gets the response of the control run, even if that is no success", () => {
    const full = () => book({ status: 409, code: "NOT_ENOUGH_RESOURCES" });
    const run = observed([book({ status: 401 }), token(), full()]);
    expect(judgeRun(auth["AUTH-01"], run, observed([full()])).outcome).toBe("pass");
    const lost = judgeRun(auth["AUTH-01"], run, observed([book()]));
    expect([lost.outcome, lost.evidence?.map(({ says }) => says)]).toEqual([
      "fail",
      ["POST createBooking → 401, token revoked", "POST createToken → 200", "POST createBooking → 409"],
    ]);
  });
});

describe("Attempts", () => {
  it.each<[number[], VerdictOutcome, string]>([
    [[0], "not-exercised", "it retries once, after 0 ms; a single wait shows no growth"],
    [[99, 99], "warn", "it retries immediately (99 ms, 99 ms)"],
    [[99, 100], "undecided", "its waits do not grow (99 ms, 100 ms), but two waits may be chance"],
    [[500, 649], "undecided", "its waits do not grow (500 ms, 649 ms), but two waits may be chance"],
    [[500, 650], "pass", "its waits grow (500 ms, 650 ms)"],
    [[500, 400, 650], "pass", "its waits grow (500 ms, 400 ms, 650 ms)"],
    [[1, 2, 3, 4], "warn", "it retries immediately (1 ms, 2 ms, 3 ms, 4 ms)"],
  ])("that wait %j: %s", (gaps, outcome, says) =>
    expect(judgeWaits(gaps, "503", [])).toMatchObject({ outcome, says: `after 503 ${says}` }),
  );
});

describe("A receiver", () => {
  const attempt = (status: number | null, outcome = "ACCEPTED") => ({
    at: "",
    duration_ms: 1,
    outcome,
    error: "it is not allowed",
    ...(status === null ? {} : { answer: { status } }),
  });
  const message = (...attempts: object[]): Message =>
    ({
      id: "msg-1",
      kind: "v1.booking.created",
      created_at: "",
      deliveries: [{ attempts }],
      body: { payload: { booking_id: "bkg-1", event_id: "evt-1", count: 1 } },
    }) as unknown as Message;
  const heard = (...attempts: object[]) => observed([], { messages: [message(...attempts)] });

  it("exists if the program has one, and otherwise the report explains why nothing was sent", () => {
    expect(explainNoReceiver(heard(attempt(500), attempt(200)))).toBeUndefined();
    expect(explainNoReceiver(heard(attempt(null)))).toBe("no receiver of the program accepted a message");
    const answered = "no receiver of the program accepted a message; 3 genuine ones received 500, 401";
    expect(explainNoReceiver(heard(attempt(500), attempt(401), attempt(500)))).toBe(answered);
    expect(explainNoReceiver(heard(attempt(null, "BLOCKED")))).toBe("no message was sent: it is not allowed");
  });

  it("that never learns of a lost message fails if the message was the first about a record", () => {
    const lost = { ...message(), deliveries: [{ state: "DROPPED", attempts: [] }] };
    const run = observed([], { messages: [lost], probe: {} });
    const outcomes = ["first", "last"].map(
      (drill) => judgeRun(webhooks["HOOK-04"], run, observed([], { probe: { bookings: 1 } }), drill).outcome,
    );
    expect(outcomes).toEqual(["fail", "warn"]);
  });

  const state = {
    bookings: [
      { id: "a", status: "ACTIVE" },
      { id: "b", status: "CANCELLED" },
    ],
    mails: ["x", "x", "y"],
  };

  it.each([
    [{ mails: ["y", "x", "x"], bookings: [...state.bookings].reverse() }, undefined],
    [
      { ...state, bookings: [state.bookings[1], { status: "GONE", id: "a" }] },
      'bookings[a].status: "GONE" instead of "ACTIVE"',
    ],
    [{ ...state, bookings: state.bookings.slice(1) }, 'bookings[a]: nothing instead of {"id":"a","status":"ACTIVE"}'],
    [
      { ...state, bookings: [...state.bookings, state.bookings[0]] },
      'bookings[]: {"id":"a","status":"ACTIVE"} instead of nothing',
    ],
    [{ ...state, mails: ["x", "y", "y"] }, 'mails[]: "y" instead of "x"'],
    [{ bookings: state.bookings }, 'mails: nothing instead of ["x","x","y"]'],
    ["the probe failed", "the probe failed"],
  ])("differs with %j in its data, not in its order", (printed, difference) => {
    const [run, control] = [printed, state].map((probe) => observed([], { probe })) as [Observed, Observed];
    const compared = new Comparison(run, control);
    expect(compared.hasSameState).toBe(difference === undefined);
    expect(findVariations(run, control).probeVaries).toBe(difference !== undefined);
    const { evidence } = addDifferences({ outcome: "warn", says: "" }, compared);
    expect(evidence?.map(({ id, says }) => [id, says])).toEqual(
      difference === undefined ? [] : [["probe", expect.stringContaining(difference)]],
    );
  });
});

it("A failure is shown with all that ended differently from the control run", () => {
  const attempt = (status: number) => ({ outcome: "x", duration_ms: 1, answer: { status } });
  const message = (status: number) => ({
    id: `msg-${status}`,
    kind: "v1.booking.created",
    created_at: "",
    body: { payload: {} },
    deliveries: [{ attempts: [attempt(204), attempt(status)] }],
  });
  const control = observed([request("getMe"), book()], { messages: [message(204)] });
  const requests = [request("getMe"), request("getMe", { status: 404 }), book(), book()];
  const errors = "ready\nTypeError: no city\n    at guest (shop.js:7)\n";
  const run = observed(requests, { messages: [message(500)], ended: { code: 0, output: errors, errors } });
  const { evidence } = addDifferences({ outcome: "fail", says: "", evidence: [] }, new Comparison(run, control));
  expect(evidence?.map(({ says }) => says)).toEqual([
    "GET getMe → 404",
    "POST createBooking → 201",
    "v1.booking.created → 500",
    "TypeError: no city",
    "at guest (shop.js:7)",
  ]);
  expect(addDifferences({ outcome: "pass", says: "" }, new Comparison(run, control))).toEqual({
    outcome: "pass",
    says: "",
  });
});

it("An operation whose number varies is lost if it never succeeds", () => {
  const control = observed([request("getMe"), request("getMe")], { unsteady: new Set(["getMe"]) });
  const runs = [[], [request("getMe")]].map((requests) => new Comparison(observed(requests), control));
  expect(runs.map(({ lostOperations }) => lostOperations)).toEqual([["getMe"], []]);
});

it("A program whose requests are all rejected is not reported as one without requests", () => {
  const rejected = () => request("getMe", { status: 403 });
  const requests = [[], [rejected(), rejected(), rejected()], [rejected(), request("getMe")]];
  expect(requests.map((each) => explainNoCall(observed(each)))).toEqual([
    "the program sends no request",
    "none of its 3 requests succeeded",
    undefined,
  ]);
});

describe("Messages out of order", () => {
  const message = (kind: string, booking_id: string) => ({
    id: `msg-${kind}`,
    kind: `v1.booking.${kind}`,
    body: { payload: { booking_id } },
    deliveries: [{ attempts: [{ outcome: "ACCEPTED", answer: { status: 204 } }] }],
  });
  const drills = (...kinds: string[]) =>
    webhooks["HOOK-03"].drills(observed([], { messages: kinds.map((kind) => message(kind, "bkg-1")) }));

  it("are an update after the cancellation, and the creation after both", () => {
    expect(drills("created", "updated", "cancelled").map(({ name, faults }) => [name, faults?.[0]?.skip])).toEqual([
      ["next first", 1],
      ["first last", 0],
    ]);
    expect(drills("created", "cancelled").map(({ name }) => name)).toEqual(["next first"]);
  });

  it("are sent when the last message about the record has arrived", async () => {
    const [, drill] = drills("created", "updated", "cancelled");
    const entries: object[] = [];
    const steps: string[] = [];
    const deliver = (kind: string, faults: object[] = []) =>
      entries.push({ kind: "delivery", webhook_kind: `v1.booking.${kind}`, attempt: { outcome: "ACCEPTED" }, faults });
    const next = async (fits: (entry: object) => boolean) => {
      if (steps.includes("cleared")) deliver("created", [{}]);
      for (const kind of ["updated", "cancelled"]) {
        if (entries.some(fits)) return;
        deliver(kind);
        steps.push(kind);
      }
    };
    const control = { DELETE: async () => steps.push("cleared") };
    await drill?.drive?.({ control, entries: () => entries, next } as unknown as Live);
    expect(steps).toEqual(["updated", "cancelled", "cleared"]);
  });
});

describe("A 409 for a booking", () => {
  const order = (metadata: object, more: object = {}) =>
    book({
      request: { query: {}, body: { event_id: "evt-1", customer: { name: "Anna" }, metadata }, headers: {} },
      ...more,
    });
  const made = (probe: unknown, ...later: string[]) => {
    const post = order({ order: "ref-1" }, { facts: [{ fact: "booking.created", id: "bkg-1" }] });
    const bookings = [{ id: "bkg-1", world: "default", status: "ACTIVE" }];
    return observed([post, ...later.map((each) => request(each))], { bookings, probe });
  };
  const refused = (code: string, probe: unknown, ...later: string[]) => {
    const hit = order({ order: "ref-1" }, { status: 409, code, faults: [{ name: "BOOK-02", did: "" }] });
    return observed([hit, ...later.map((each) => request(each))], { bookings: [], probe });
  };
  const judgedBy = (control: Observed, ...runs: Observed[]) =>
    booking["BOOK-02"].judgeAll?.(
      [...runs, ...runs, ...runs, ...runs].slice(0, 4).map((run) => new Comparison(run, control)),
    );

  it("is no booking if the program has none", () => {
    const control = made({ booked: ["ref-1"] }, "getOrder");
    const runs = [refused("A", { booked: [] }, "listEvents"), refused("B", { booked: [] })];
    expect(judgedBy(control, ...runs)?.outcome).toBe("pass");
  });

  it("counts as a booking if the program's state has it", () => {
    const state = { booked: ["ref-1"] };
    const found = judgedBy(made(state), refused("A", state));
    expect([found?.outcome, found?.says]).toEqual([
      "fail",
      'after 409 A: the program\'s own state has "ref-1", as if the booking had succeeded',
    ]);
  });

  it("can't be judged without a probe that shows bookings, if the program continues as after one", () => {
    const runs = [refused("A", undefined, "getOrder"), refused("B", undefined)];
    expect(judgedBy(made(undefined, "getOrder"), ...runs)).toMatchObject({
      outcome: "undecided",
      add: 'add --probe "command that prints its state as JSON"',
    });
    const other = [refused("A", { mails: 1 }, "getOrder"), refused("B", { mails: 1 })];
    expect(judgedBy(made({ mails: 1 }, "getOrder"), ...other)).toMatchObject({
      outcome: "undecided",
      add: "let the probe print the bookings, with your own references",
    });
  });
});

describe("Results", () => {
  const result = (outcome: VerdictOutcome, level = "must", ignored?: object) => ({
    outcome,
    level,
    ...(ignored ? { ignored } : {}),
  });
  const of = (...results: object[]) => results as unknown as Result[];

  it("are counted by outcome, and ignored ones separately", () => {
    const results = of(result("fail"), result("fail", "must", {}), result("pass"), result("pass"), result("warn"));
    expect(countOutcomes(results)).toEqual({ fail: 1, warn: 1, undecided: 0, "not-exercised": 0, pass: 2, ignored: 1 });
  });

  it.each([
    [[result("pass")], 0, 0],
    [[result("pass"), result("fail", "should")], 1, 1],
    [[result("fail", "must", {})], 0, 0],
    [[result("warn")], 0, 1],
    [[result("undecided")], 0, 0],
    [[result("not-exercised")], 0, 1],
    [[result("not-exercised", "should")], 0, 0],
    [[{ ...result("fail"), known: true }], 0, 0],
    [[{ ...result("fail"), known: true }, result("fail")], 1, 1],
  ])("%j exit with %i, and strictly with %i", (results, byDefault, strict) => {
    expect([toExitCode(of(...results), false), toExitCode(of(...results), true)]).toEqual([byDefault, strict]);
  });

  it("are known if an earlier verdict has them", () => {
    const outcomes = ["fail", "warn", "pass"] as const;
    const results = [...outcomes.map((outcome) => ({ id: outcome, outcome })), { id: "x", outcome: "undecided" }];
    const { checks, isKnown } = readBaseline(JSON.stringify({ version: 1, results }));
    expect(checks).toEqual(["fail", "warn"]);
    expect([...checks, "pass", "x"].map((id) => outcomes.map((outcome) => isKnown(id, outcome)))).toEqual([
      [true, true, false],
      [false, true, false],
      [false, false, false],
      [false, false, false],
    ]);
    for (const text of ["null", "{}", '{"results":[7]}', '{"results":[{"id":"AUTH-01"}]}'])
      expect(() => readBaseline(text)).toThrow("it is not a verdict");
  });

  it.each([
    [
      "{ check: AUTH-9, reason: x, until: 2030-06-30 }",
      "unknown check AUTH-9. `sandbox check explain` lists all checks.",
    ],
    ['{ check: AUTH-02, reason: " ", until: 2030-06-30 }', "AUTH-02 is ignored without a reason. Add a reason."],
    ["{ check: AUTH-02, reason: x }", 'AUTH-02 is ignored without a last day. Write it as until: "2030-06-30".'],
    [
      "{ check: AUTH-02, reason: x, until: 2030-13-30 }",
      'AUTH-02 is ignored without a last day. Write it as until: "2030-06-30".',
    ],
    ["{ check: AUTH-02, reason: x, until: 2030-06-30, who: me }", "unknown field who."],
  ])("are not ignored by %s", (row, sentence) => {
    expect(() => readIgnores(`ignore:\n  - ${row}\n`, "x.yaml", ["AUTH-02"])).toThrow(
      expect.objectContaining({ message: `x.yaml:2: ${sentence}` }),
    );
  });
});
