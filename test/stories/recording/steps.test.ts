// What becomes of each entry of a log: exactly these steps, and nothing else. The logs are made by hand.
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/platform/json.ts";
import type {
  ActEntry,
  ClockEntry,
  DeliveryEntry,
  Entry,
  LogSlice,
  Message,
  RecordedOperation,
  RequestEntry,
  WorldEntry,
} from "../../../src/stories/recording/log-slice.ts";
import { storyOf } from "../../../src/stories/recording/story.ts";

const NOW = "2030-06-01T09:00:00.000Z";
const later = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();
const URL_OF = "http://127.0.0.1:4010";

const operation = (id: string, path: string, parameters: RecordedOperation["parameters"] = []): RecordedOperation => ({
  ...{ id, path, parameters, body: /^create/.test(id) ? { type: "application/json" } : undefined },
});
const OPERATIONS = [
  operation("getBooking", "/v1/bookings/{bookingId}", [{ name: "bookingId", in: "path", required: true }]),
  operation("createBooking", "/v1/bookings"),
  operation("createWebhookSubscription", "/v1/webhook-subscriptions"),
  operation("listEvents", "/v1/events", [
    { name: "limit", in: "query", required: false },
    { name: "accept-language", in: "header", required: false },
  ]),
];

/** A reference in a scenario. */
const ref = (path: string) => `\${${path}}`;

let seq = 0;
const logged = (id: string, at = NOW) => ({ seq: ++seq, id: `${id}-${seq}`, at });

function request(id: string, more: Partial<RequestEntry> & { body?: Json; answered?: Json } = {}): RequestEntry {
  const { body = null, answered = null, request: sent, at, ...rest } = more;
  const path = OPERATIONS.find((each) => each.id === id)?.path.replace("{bookingId}", "bkg-1") ?? "/";
  return {
    ...logged("req", at),
    ...{ kind: "request", method: "GET", path, operation: id, status: 200, client_id: "own" },
    ...{ facts: [], messages: [], scopes: ["a"], faults: [], answer: { body: answered } },
    request: { headers: { authorization: "•••", ...sent?.headers }, query: sent?.query ?? {}, body },
    ...rest,
  };
}

const act = (name: string, input: Json, more: Partial<ActEntry> = {}): ActEntry => ({
  ...logged("act", more.at),
  ...{ kind: "act", act: name, input, result: null, status: "done", code: null, facts: [], messages: [], ...more },
});
const clock = (to: string, receipt: ClockEntry["receipt"] = [], more: Partial<ClockEntry> = {}): ClockEntry => ({
  ...logged("clk", to),
  ...{ kind: "clock", from: NOW, to, by: "tick", receipt, messages: [], ...more },
});
const attempt = (status: number | null): DeliveryEntry => ({
  ...logged("dlv"),
  ...{ kind: "delivery", message_id: "msg", webhook_kind: "v1.booking.created", faults: [] },
  attempt: { at: NOW, number: 1, outcome: status === null ? "UNREACHABLE" : "ACCEPTED", status },
});

function reported(entries: readonly Entry[], more: Partial<LogSlice> = {}) {
  const stretch: LogSlice = {
    title: "A story",
    beginning: { fixture: "empty", clock: NOW, seed: 7, assume: {}, server: {} },
    entries,
    spans: new Map(),
    messages: new Map(),
    operations: new Map(OPERATIONS.map((each) => [each.id, each])),
    isAct: (name) => name !== "nosuch",
    key: { client_id: "own", scopes: ["a"] },
    url: URL_OF,
    begins: (text) => text === "evt-evening" || text === "bkg-1",
    ...more,
  };
  return storyOf(stretch);
}
const steps = (entries: readonly Entry[], more: Partial<LogSlice> = {}) => reported(entries, more).scenario.steps;

describe("A request", () => {
  it("has what the document names, what its own program sent, and nothing that nobody decides", () => {
    const headers = { "accept-language": "*", "user-agent": "curl" };
    const answered = { id: "bkg-1", status: "ACTIVE", customer: { status: "PRIVATE" }, note: "a text", total: 3 };
    expect(
      steps([request("listEvents", { request: { headers, query: { limit: "5", x: "01" }, body: null }, answered })]),
    ).toEqual([
      {
        ...{ name: "list events", call: "listEvents", with: { limit: 5 }, query: { x: "01" } },
        expect: { status: 200, body: { id: "bkg-1", status: "ACTIVE", total: 3 } },
      },
    ]);
  });

  it("that was refused has the code of the service, or of the token", () => {
    const refused = (answered: Json) => request("getBooking", { status: 404, answered });
    const entries = [refused({ code: "NOT_FOUND", message: "x" }), refused({ error: "invalid" }), refused(null)];
    expect(steps(entries).map(({ name, expect }) => [name, expect])).toEqual([
      ["get booking is refused", { status: 404, body: { code: "NOT_FOUND" } }],
      ["get booking is refused 2", { status: 404, body: { error: "invalid" } }],
      ["get booking is refused 3", { status: 404 }],
    ]);
  });

  it("for webhooks takes an address of the player's receiver, one for each that was taken", () => {
    const subscribe = (url: string, status: number) =>
      request("createWebhookSubscription", { method: "POST", status, body: { url } });
    const all = [
      subscribe("ftp://no", 400),
      subscribe("http://a", 201),
      subscribe("http://b", 201),
      subscribe("http://a", 201),
    ];
    expect(steps(all).map((each) => each.with)).toEqual([
      { url: "ftp://no" },
      ...[ref("receiver.url"), `${ref("receiver.url")}/2`, ref("receiver.url")].map((url) => ({ url })),
    ]);
  });

  it("expects lists of four items with what matters of them, and of others only how many there are", () => {
    const list = (count: number) => Array.from({ length: count }, () => ({ state: "OPEN" }));
    const body = (answered: Json) =>
      (steps([request("listEvents", { answered })])[0]?.expect as { body?: Json } | undefined)?.body;
    expect(body({ items: list(4) })).toEqual({ items: list(4) });
    expect(body({ items: list(5) })).toEqual({ items: { $length: 5 } });
    expect(body({ items: [{ state: "OPEN" }, { note: "a text" }] })).toEqual({ items: { $length: 2 } });
    expect(body({ items: [], names: ["a"] })).toEqual({ items: [] });
    expect(body({ a: { b: { c: { d: { state: "OPEN" } } } } })).toEqual({ a: { b: { c: { d: { state: "OPEN" } } } } });
    expect(body({ a: { b: { c: { d: { e: { state: "OPEN" } } } } } })).toBeUndefined();
  });

  it("has the faults that hit it before it: each once, and none that only made it late", () => {
    const fault = {
      name: "f",
      skip: 2,
      share: 0.5,
      seed: 1,
      client_id: "own",
      operation: "getBooking",
      status: 503,
      times: 9,
    };
    const late = { operation: "getBooking", delay_ms: 5, times: 1 };
    expect(steps([request("getBooking", { status: 503, faults: [{ fault }, { fault: late }] })])).toEqual([
      { name: "a fault of get booking", fault: { operation: "getBooking", status: 503, times: 1 } },
      {
        ...{ name: "get booking is refused", call: "getBooking", with: { bookingId: "bkg-1" } },
        expect: { status: 503 },
      },
    ]);
  });

  it("names what an earlier answer brought up, by the first that did", () => {
    const made = (id: string) =>
      request("createBooking", { status: 201, answered: { id }, body: { event_id: "evt-evening" } });
    const look = request("getBooking", { path: "/v1/bookings/0123abcd4567" });
    expect(steps([made("0123abcd4567"), made("0123abcd4567"), look]).at(-1)?.with).toEqual({
      bookingId: ref("create booking.body.id"),
    });
  });
});

describe("A move of the clock", () => {
  const line = (what: string, id = "evt-evening") =>
    ({ at: NOW, what, id, facts: [] }) as unknown as ClockEntry["receipt"][number];

  it("is a duration of whole seconds or an instant, with the first six lines of its receipt and no attempts", () => {
    const receipt = [line("deliveryAttempted"), ...Array.from({ length: 7 }, (_, at) => line(`thing${at}`))];
    expect(steps([clock(later(90_061), receipt), clock(later(90_061.5)), clock(later(90_061.5))])).toEqual([
      {
        ...{ name: "the clock moves by P1DT1H1M1S", advance: "P1DT1H1M1S" },
        expect: { receipt: Array.from({ length: 6 }, (_, at) => ({ what: `thing${at}`, id: "evt-evening" })) },
      },
      { name: "the clock moves", advance: later(90_061.5) },
    ]);
  });

  it("comes before a request where a minute has passed, and not for less", () => {
    const names = (seconds: number) => steps([request("getBooking", { at: later(seconds) })]).map(({ name }) => name);
    expect([names(59.999), names(60)]).toEqual([["get booking"], ["the clock moves by PT1M", "get booking"]]);
  });
});

it("A trigger that moved the clock is one step, whichever of the two was chosen", () => {
  const input = { kind: "v1.event.completed" };
  const trigger = act("trigger v1.event.completed", input, { at: later(7200), result: { state: "COMPLETED" } });
  const by = { kind: "act" as const, id: trigger.id };
  const move = clock(later(7200), [], { from: later(3600), by });
  for (const { id } of [move, trigger])
    expect(steps([move, trigger, request("getBooking", { at: later(7200) })], { only: new Set([id]) })).toEqual([
      { name: "the clock moves by PT1H", advance: "PT1H" },
      {
        ...{ name: "trigger event completed", trigger: "v1.event.completed" },
        expect: { result: { state: "COMPLETED" } },
      },
    ]);
});

describe("What is alike", () => {
  const read = (more: object = {}) => request("getBooking", more);

  it("is told once from three times on, unless something refers to it", () => {
    const counts = (entries: Entry[]) => steps(entries).map(({ name, repeat }) => [name, repeat]);
    expect(counts([read(), read()])).toEqual([
      ["get booking", undefined],
      ["get booking 2", undefined],
    ]);
    expect(counts([read(), read(), read()])).toEqual([["get booking", { times: 3 }]]);
    const made = () => read({ answered: { cursor: "0123abcd4567" } });
    const again = request("getBooking", { path: "/v1/bookings/0123abcd4567" });
    expect(counts([made(), made(), made(), again]).map(([name]) => name)).toEqual([
      ...["get booking", "get booking 2", "get booking 3", "get booking 4"],
    ]);
  });

  it("is given in the head where it is long and sent twice", () => {
    const long = { name: "x".repeat(60) };
    const book = (customer: Json, note: Json) => act("book", { customer, note });
    const of = (...inputs: [Json, Json][]) => {
      const { scenario } = reported(inputs.map(([customer, note]) => book(customer, note)));
      return [scenario.given, scenario.steps.map((step) => step.with)];
    };
    expect(of([long, { a: 1 }], [long, { a: 1 }])).toEqual([
      { customer: long },
      Array(2).fill({ customer: ref("given.customer"), note: { a: 1 } }),
    ]);
    expect(of([long, 1], [{ ...long, b: 1 }, 1])).toEqual([
      undefined,
      [
        { customer: long, note: 1 },
        { customer: { ...long, b: 1 }, note: 1 },
      ],
    ]);
  });
});

describe("The player's receiver", () => {
  it.each<[string, (number | null)[][], object[]]>([
    ["that takes all is not told", [[200, 200]], []],
    ["that refuses all", [[500], [500]], [{ answer: 500 }]],
    ["that comes back", [[null, 500, 200], [200]], [{ answer: 503, times: 1 }]],
    ["that goes away", [[200, 500], [500]], [{ answer: 500 }, { answer: 200, times: 1 }]],
    ["that is there again with the next", [[500], [200]], [{ answer: 500 }, { answer: 200 }]],
  ])("%s", (_, stories, expected) => {
    const entries = stories.flatMap((answers) => [act("tell", {}), ...answers.map(attempt)]);
    expect(steps(entries).flatMap(({ receiver }) => (receiver ? [receiver] : []))).toEqual(expected);
  });
});

it("A fault of deliveries passes those of its kind that it did not hit", () => {
  const kind = "v1.booking.created" as const;
  const first = (message_id: string, doing?: string, number = 1): DeliveryEntry => {
    const entry = attempt(200);
    const faults = doing === undefined ? [] : [{ fault: { name: "f", delivery: { do: doing }, times: 9, skip: 3 } }];
    return { ...entry, message_id, faults, attempt: { ...entry.attempt, number } };
  };
  const messages = ["a", "b", "c", "d"];
  const entries = [
    act("book", {}, { messages }),
    ...[first("a"), first("b", "drop"), first("c", "drop"), first("c", undefined, 2), first("d", "duplicate")],
    act("book", {}, { messages: ["e"] }),
    first("e"),
  ];
  expect(steps(entries).flatMap(({ fault }) => fault ?? [])).toEqual([
    { delivery: { do: "drop", kind }, skip: 1, times: 2 },
    { delivery: { do: "duplicate", kind }, skip: 1, times: 1 },
  ]);
});

describe("Webhooks", () => {
  const message = (nth: number, kind = "v1.booking.created"): [string, Message] => [
    `msg-${nth}`,
    { id: `msg-${nth}`, kind, at: NOW, payload: { booking_id: `book-${nth}`, event_id: "evt-evening" } },
  ];
  const sent = (count: number, isReported = true) => {
    const messages = new Map(Array.from({ length: count }, (_, nth) => message(nth)));
    const inputs = Object.fromEntries(
      [...messages.values()].map(({ payload }, nth) => [`n${nth}`, payload.booking_id ?? ""]),
    );
    const entries = [act("book", inputs, { messages: [...messages.keys()] })];
    return steps(entries, { messages, ...(isReported ? {} : { from: 1_000_000 }) }).filter(({ webhook }) => webhook);
  };

  it("are expected by their payload up to four of a kind, and of more only how many there are", () => {
    const payload = (nth: number) => ({ payload: { booking_id: `book-${nth}`, event_id: "evt-evening" }, times: 1 });
    expect(sent(4).map((step) => step.expect)).toEqual([0, 1, 2, 3].map(payload));
    expect(sent(5)).toEqual([{ name: "booking created is sent", webhook: "v1.booking.created", expect: { times: 5 } }]);
    expect(sent(0)).toEqual([]);
  });

  it("of what came before the story are not expected, and counted", () => {
    const messages = new Map([message(1), message(1)].map(([, each], nth) => [`m${nth}`, each]));
    const fact = [{ fact: "booking.created" as const, id: "x" }];
    const entries = [
      act("book", { id: "book-1" }, { messages: ["m0"], facts: fact }),
      act("book", { id: "book-1" }, { messages: ["m1"], facts: fact }),
    ];
    const [first, second] = entries;
    const found = steps(entries, { messages, from: second?.seq ?? 0 }).filter(({ webhook }) => webhook);
    expect([first?.messages, found.map((step) => (step.expect as { times: number }).times)]).toEqual([["m0"], [2]]);
  });
});

it("What changed nothing before the story is not in it; what can't be said is counted", () => {
  const wrong = () => request("createBooking", { body: [1], method: "POST", path: "/v1/bookings" });
  const entries = [request("getBooking"), request("getBooking"), wrong(), wrong(), act("x", {})];
  const { scenario, leftOut } = reported(entries, { from: (entries[1] as Entry).seq });
  expect(scenario.steps.map(({ name }) => name)).toEqual(["get booking", "x"]);
  expect(leftOut).toEqual(["Left out: POST /v1/bookings has a body that is no object. (2 times)"]);
});

it("A rewind counts what it took back, without what only happened to the world", () => {
  const [kept, gone] = [act("kept", {}), act("gone", {})];
  const world = (change: WorldEntry["change"], detail = {}): Entry => ({
    ...logged("wld"),
    kind: "world",
    change,
    detail,
  });
  const saved = world("snapshot");
  const { scenario, leftOut } = reported([kept, saved, gone, world("rewind", { to: kept.seq })]);
  expect(scenario.steps.map(({ name }) => name)).toEqual(["kept"]);
  expect(leftOut).toEqual(["A rewind took back 1 entry of the log; the story goes on without."]);
});

describe("A request for a token", () => {
  const form = { grant_type: "client_credentials", audience: URL_OF, client_id: "own", client_secret: "[redacted]" };
  const requested = (status: number, body: Json, client_id: string | null = null) => {
    const entry = request("createToken", { method: "POST", path: "/oauth2/token", status, body, client_id });
    return steps([{ ...entry, request: { ...entry.request, headers: {} } }]);
  };

  it("that a player sends by itself is no step", () => expect(requested(200, form, "own")).toEqual([]));

  it.each<[string, Json, object | undefined]>([
    ["a wrong secret", form, { client_secret: "not-the-secret" }],
    ["no secret", { ...form, client_secret: undefined } as never, { client_secret: null }],
    ["another audience", { ...form, audience: "http://a" }, { audience: "http://a", client_secret: "not-the-secret" }],
  ])("with %s is one", (_, body, members) => {
    expect(requested(401, body)).toEqual([
      { name: "create token is refused", call: "createToken", with: members, expect: { status: 401 } },
    ]);
  });
});
