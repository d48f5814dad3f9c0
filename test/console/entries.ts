// Entries of a log for tests of what the console makes of them.
import type { ActEntry, DeliveryEntry, RequestEntry } from "../../src/console/entries.ts";

const always = (seq: number, id: string) => ({
  seq,
  id,
  at: "2030-06-01T09:00:00.000Z",
  wall_at: new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString(),
  world: "default",
  test: null,
});

export const request = (seq: number, changes: Partial<RequestEntry> = {}): RequestEntry => ({
  ...always(seq, `req-${seq}`),
  kind: "request",
  method: "POST",
  path: "/v1/bookings",
  operation: "createBooking",
  status: 201,
  duration_ms: 3,
  client_id: null,
  user_agent: "",
  code: null,
  message: null,
  touched: [],
  facts: [],
  fact_count: 0,
  messages: [],
  message_count: 0,
  faults: [],
  ...changes,
});

export const act = (seq: number, status: ActEntry["status"]): ActEntry => ({
  ...always(seq, `act-${seq}`),
  kind: "act",
  act: "cancelEvent",
  status,
  facts: [],
  fact_count: 0,
  messages: [],
  message_count: 0,
  code: null,
  message: null,
  touched: [],
  duration_ms: 1,
});

export const attempt = (seq: number, cause: string, status: number | null, delivery = "dlv_1"): DeliveryEntry => ({
  ...always(seq, delivery),
  kind: "delivery",
  message_id: "msg_1",
  delivery_id: delivery,
  subscription_id: "sub-1",
  url: "http://127.0.0.1:1/",
  webhook_kind: "v1.booking.created",
  state: status === 200 ? "DELIVERED" : "PENDING",
  attempt: { at: "2030-06-01T09:00:00.000Z", outcome: "ACCEPTED", status, error: null, duration_ms: 2, number: 1 },
  cause: { kind: "request", id: cause },
  faults: [],
});
