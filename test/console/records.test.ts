// How records are called in lists, which ids in their JSON can be followed, and how a subscription fares.
import { expect, test } from "vitest";
import { collectionOfFact, labelOf, madeAt, piecesOf, stateOf } from "../../src/console/records/names.ts";
import { healthOf } from "../../src/console/webhooks/health.ts";
import { names } from "../../src/engine/world/state/schema.ts";
import { valuesOf } from "../control-enum.ts";

test.each([
  [{ customer: { name: "Anna Holm" }, event_id: "evt-1", status: "ACTIVE" }, "Anna Holm · evt-1", "ACTIVE"],
  [{ name: { en: "Canal tour", da: "Kanalrundfart" }, state: "ARCHIVED" }, "Canal tour", "ARCHIVED"],
  [{ number: "1057", totals: { amount: { currency: "DKK", value: 166000, exponent: 2 } } }, "1057 · DKK 1,660.00", ""],
  [{ sessions: [{ start_time: "2030-05-19T11:00:00" }], experience_id: "exp-bike" }, "2030-05-19 11:00 · exp-bike", ""],
  [{ name: "Channel manager", revoked_at: "2030-06-01T09:00:00.000Z" }, "Channel manager", "REVOKED"],
  [{ email: "a@example.com", status: "ACTIVE", removed_at: "2030-06-01T09:00:00.000Z" }, "a@example.com", "DELETED"],
  [{ url: "http://a.test", state: "ENABLED", deleted_at: "2030-06-01T09:00:00.000Z" }, "http://a.test", "DELETED"],
])("%j", (record, label, state) => {
  expect([labelOf(record), stateOf(record)]).toEqual([label, state]);
});

test("when a record was made", () => {
  expect(madeAt({ occurred_at: "2030-05-23T09:30:00.000Z" })).toBe("2030-05-23 09:30");
  expect(madeAt({})).toBe("");
});

test("the ids of other records can be followed, and the text stays what it is", () => {
  const record = { id: "bkg-1", event_id: "evt-1", location_ids: ["loc-1"], note: '"event_id": "no"', order_id: null };
  const pieces = piecesOf(record);
  expect(pieces.map(({ text }) => text).join("")).toBe(JSON.stringify(record, null, 2));
  expect(pieces.flatMap(({ link }) => link ?? [])).toEqual([
    { collection: "events", id: "evt-1" },
    { collection: "locations", id: "loc-1" },
  ]);
});

test("every fact is about a record of a collection", () => {
  for (const fact of valuesOf("FactName")) expect(names, fact).toContain(collectionOfFact(fact));
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
  expect(healthOf("sub-1", [])).toEqual({ delivered: 0, pending: 0, lost: 0, tone: "quiet" });
  expect(healthOf("sub-1", [lost])).toEqual({
    ...{ delivered: 0, pending: 0, lost: 1, tone: "bad" },
    last: { at: "2030-06-01T09:00:01.000Z", outcome: "REFUSED", status: 500 },
  });
  expect(healthOf("sub-1", [fine, lost])).toEqual({
    ...{ delivered: 1, pending: 0, lost: 1, tone: "warn" },
    last: { at: "2030-06-01T09:00:02.000Z", outcome: "ACCEPTED", status: 200 },
  });
  expect(healthOf("sub-1", [message("3", "DROPPED", []), message("4", "PENDING", [])])).toEqual({
    ...{ delivered: 0, pending: 1, lost: 1, tone: "warn" },
  });
  expect(healthOf("sub-2", [fine])).toEqual({ delivered: 0, pending: 0, lost: 0, tone: "quiet" });
});
