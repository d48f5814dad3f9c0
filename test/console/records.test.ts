// Which ids in the JSON of a record can be followed, and how a subscription fares.
import { expect, test } from "vitest";
import { piecesOf } from "../../src/console/records/names.ts";
import { healthOf } from "../../src/console/webhooks/health.ts";

test("the ids of other records can be followed, and the text stays what it is", () => {
  const record = {
    id: "bkg-1",
    event_id: "evt-1",
    location_ids: ["loc-1"],
    note: 'is "evt-1"',
    order_id: null,
    "evt-1": 1,
  };
  const references = [
    { collection: "events" as const, id: "evt-1", title: "2030-06-01 18:00" },
    { collection: "locations" as const, id: "loc-1" },
  ];
  const pieces = piecesOf(record, references);
  expect(pieces.map(({ text }) => text).join("")).toBe(JSON.stringify(record, null, 2));
  expect(pieces.flatMap(({ link }) => link ?? [])).toEqual(references);
});

test("a subscription fares as its last attempt, and by what was lost before", () => {
  const attempt = (at: string, outcome: "ACCEPTED" | "REFUSED", status: number) => ({
    at,
    outcome,
    duration_ms: 1,
    request: { headers: {}, body: "" },
    answer: { status, headers: {}, body: "" },
  });
  const message = (
    id: string,
    state: "DELIVERED" | "DROPPED" | "GIVEN_UP" | "PENDING",
    attempts: ReturnType<typeof attempt>[],
  ) => ({
    id,
    kind: "v1.booking.created" as const,
    created_at: "2030-06-01T09:00:00.000Z",
    caused_by: "req-1",
    body: { id, type: "v1.booking.created" as const, timestamp: "", payload: {} },
    deliveries: [{ id: `dlv-${id}`, subscription_id: "sub-1", url: "http://127.0.0.1:1", state, attempts }],
  });
  const lost = message("1", "GIVEN_UP", [attempt("2030-06-01T09:00:01.000Z", "REFUSED", 500)]);
  const fine = message("2", "DELIVERED", [attempt("2030-06-01T09:00:02.000Z", "ACCEPTED", 200)]);
  const refused = { at: "2030-06-01T09:00:01.000Z", outcome: "REFUSED", status: 500 };
  const failure = { message: "1", kind: "v1.booking.created", ...refused };
  expect(healthOf("sub-1", [])).toEqual({ delivered: 0, pending: 0, failed: 0, failures: [], tone: "quiet" });
  expect(healthOf("sub-1", [lost])).toEqual({
    ...{ delivered: 0, pending: 0, failed: 1, failures: [failure], tone: "bad" },
    last: failure,
  });
  expect(healthOf("sub-1", [fine, lost])).toEqual({
    ...{ delivered: 1, pending: 0, failed: 1, failures: [failure], tone: "warn" },
    last: {
      message: "2",
      kind: "v1.booking.created",
      at: "2030-06-01T09:00:02.000Z",
      outcome: "ACCEPTED",
      status: 200,
    },
  });
  expect(healthOf("sub-1", [message("3", "DROPPED", []), message("4", "PENDING", [])])).toEqual({
    ...{ delivered: 0, pending: 1, failed: 1, failures: [], tone: "warn" },
  });
  expect(healthOf("sub-2", [fine])).toEqual({ delivered: 0, pending: 0, failed: 0, failures: [], tone: "quiet" });
});
