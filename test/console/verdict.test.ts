// What the log alone says: each check with a careful log that passes, a careless one that warns, and too little to speak.
import { expect, test } from "vitest";
import { CHECKS, type Logged, resultOf } from "../../src/console/verdict/checks.ts";

let made = 0;
const call = (
  operation: string,
  other: Partial<Logged> & { body?: unknown; query?: object; headers?: object } = {},
): Logged => {
  const { body = null, query = {}, headers = {}, ...rest } = other;
  const path = `/v1/${operation}`;
  const request = { body, query, headers } as Logged["request"];
  made += 1;
  return { id: `req-${made}`, method: "GET", path, operation, status: 200, client_id: "key-1", request, ...rest };
};
const times = (count: number, make: (at: number) => Logged) => Array.from({ length: count }, (_, at) => make(at));
const token = () => call("createToken", { method: "POST" });
const reads = (count: number) => times(count, (at) => call("getBooking", { path: `/v1/bookings/bkg-${at}` }));
const booking = (body: unknown, status = 201) => call("createBooking", { method: "POST", body, status });

test.each<[id: string, careful: Logged[], careless: Logged[], shown: number]>([
  ["AUTH-02", [token(), ...reads(6)], [...times(6, token), ...reads(6)], 6],
  ["AUTH-04", reads(1), [call("listBookings", { query: { access_token: "[redacted]" } })], 1],
  ["AUTH-05", [call("getOrder", { status: 403 })], times(2, () => call("getOrder", { status: 403 })), 2],
  [
    "RETRY-04",
    [booking({ a: 2 }, 409), ...times(2, () => booking({ a: 1 }, 409))],
    times(3, () => booking({ a: 1 }, 409)),
    3,
  ],
  ["BOOK-03", [booking({ metadata: { ref: "A-1" } })], [booking({ metadata: {} })], 1],
  [
    "PAGE-01",
    [call("listBookings", { query: { cursor: "x" } })],
    [call("listBookings", { query: { cursor: "x" }, status: 400 })],
    1,
  ],
  [
    "LANG-01",
    [call("getEvent", { headers: { "accept-language": "en" } })],
    times(2, () => call("getEvent", { status: 406 })),
    2,
  ],
  ["SYNC-01", times(5, () => call("listBookings")), times(6, () => call("listBookings")), 6],
])("%s", (id, careful, careless, view) => {
  const check = CHECKS.find((each) => each.id === id);
  if (!check) throw new Error(`there is no check ${id}`);
  expect(resultOf(check.find([]))).toBe("not exercised");
  expect(resultOf(check.find(careful))).toBe("pass");
  expect(resultOf(check.find(careless))).toBe("warn");
  expect(check.find(careless).evidence).toHaveLength(view);
});

test("what met nothing is no pass: paths that are no operation prove nothing", () => {
  const log = ["/", "/openapi.json"].map((path) => ({ ...call("none"), operation: null, path }));
  expect(CHECKS.map(({ find }) => resultOf(find(log)))).toEqual(CHECKS.map(() => "not exercised"));
});

test("a program that subscribes may read a list as often as it likes", () => {
  const log = [
    call("createWebhookSubscription", { method: "POST", status: 201 }),
    ...times(9, () => call("listBookings")),
  ];
  expect(CHECKS.find(({ id }) => id === "SYNC-01")?.find(log).evidence).toEqual([]);
});
