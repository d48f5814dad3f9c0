// What becomes of each entry of a log: exactly these steps, and nothing else. The logs are made by hand.
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/platform/json.ts";
import type {
  ActEntry,
  DeliveryEntry,
  Entry,
  LogSlice,
  Message,
  RecordedOperation,
  RequestEntry,
} from "../../../src/stories/recording/log-slice.ts";
import { toStory } from "../../../src/stories/recording/story.ts";

const NOW = "2030-06-01T09:00:00.000Z";
const later = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1000).toISOString();
const URL_OF = "http://127.0.0.1:4010";

const operation = (id: string, path: string, parameters: RecordedOperation["parameters"] = []): RecordedOperation => ({
  id,
  path,
  parameters,
  body: /^create/.test(id) ? { type: "application/json" } : undefined,
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
    kind: "request",
    method: "GET",
    path,
    operation: id,
    status: 200,
    client_id: "own",
    facts: [],
    messages: [],
    scopes: ["a"],
    faults: [],
    answer: { body: answered },
    request: { headers: { authorization: "•••", ...sent?.headers }, query: sent?.query ?? {}, body },
    ...rest,
  } as RequestEntry;
}

const act = (name: string, input: Json, more: Partial<ActEntry> = {}) =>
  ({
    ...logged("act", more.at),
    kind: "act",
    act: name,
    input,
    result: null,
    status: "done",
    code: null,
    facts: [],
    messages: [],
    ...more,
  }) as ActEntry;
const attempt = (status: number | null) =>
  ({
    ...logged("dlv"),
    kind: "delivery",
    message_id: "msg",
    webhook_kind: "v1.booking.created",
    faults: [],
    attempt: { at: NOW, number: 1, outcome: status === null ? "UNREACHABLE" : "ACCEPTED", status },
  }) as unknown as DeliveryEntry;

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
  return toStory(stretch);
}
const steps = (entries: readonly Entry[], more: Partial<LogSlice> = {}) => reported(entries, more).scenario.steps;

describe("A request", () => {
  it("for webhooks gets an address of the player's receiver, one for each address", () => {
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

  it("expects the important fields of lists of up to four items, and only the number for longer lists", () => {
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
});

describe("A request before the scenario", () => {
  it("has an expectation only if it was rejected", () => {
    const facts = [{ fact: "booking.created", id: "bkg-2" }] as unknown as RequestEntry["facts"];
    const before = [201, null].map((status) => request("createBooking", { method: "POST", status, facts }));
    const first = request("getBooking");
    expect(steps([...before, first], { from: first.seq }).map(({ expect: expected }) => expected)).toEqual([
      undefined,
      { status: null },
      { status: 200 },
    ]);
  });
});

describe("A clock move", () => {
  it("is recorded before a request after a minute, and not for less", () => {
    const names = (seconds: number) => steps([request("getBooking", { at: later(seconds) })]).map(({ name }) => name);
    expect([names(59.999), names(60)]).toEqual([["get booking"], ["the clock moves by PT1M", "get booking"]]);
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

it("A fault of a delivery skips the deliveries that it did not hit", () => {
  const drop = [{ fault: { delivery: { do: "drop" } } }];
  const messages = ["msg-1", "msg-2", "msg-3"];
  const deliveries = messages.map((message_id) => ({
    ...attempt(200),
    message_id,
    faults: message_id === "msg-3" ? drop : [],
  }));
  const [fault] = steps([act("book", {}, { messages }), ...(deliveries as unknown as Entry[])]);
  expect(fault).toMatchObject({ fault: { delivery: { do: "drop", kind: "v1.booking.created" }, skip: 2, times: 1 } });
});

describe("Webhooks", () => {
  const message = (nth: number, kind = "v1.booking.created"): [string, Message] => [
    `msg-${nth}`,
    { id: `msg-${nth}`, kind, at: NOW, payload: { booking_id: `book-${nth}`, event_id: "evt-evening" } },
  ];
  const sent = (count: number) => {
    const messages = new Map(Array.from({ length: count }, (_, nth) => message(nth)));
    const inputs = Object.fromEntries(
      [...messages.values()].map(({ payload }, nth) => [`n${nth}`, payload.booking_id ?? ""]),
    );
    const entries = [act("book", inputs, { messages: [...messages.keys()] })];
    return steps(entries, { messages }).filter(({ webhook }) => webhook);
  };

  it("are expected by their payload for up to four of a kind, and by their number for more", () => {
    const payload = (nth: number) => ({ payload: { booking_id: `book-${nth}`, event_id: "evt-evening" }, times: 1 });
    expect(sent(4).map((step) => step.expect)).toEqual([0, 1, 2, 3].map(payload));
    expect(sent(5)).toEqual([{ name: "booking created is sent", webhook: "v1.booking.created", expect: { times: 5 } }]);
    expect(sent(0)).toEqual([]);
  });
});

describe("A request for a token", () => {
  const form = { grant_type: "client_credentials", audience: URL_OF, client_id: "own", client_secret: "[redacted]" };
  const requested = (status: number, body: Json, client_id: string | null = null) => {
    const entry = request("createToken", { method: "POST", path: "/oauth2/token", status, body, client_id });
    return steps([{ ...entry, request: { ...entry.request, headers: {} } }]);
  };

  it("that a player sends itself is no step", () => expect(requested(200, form, "own")).toEqual([]));

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
