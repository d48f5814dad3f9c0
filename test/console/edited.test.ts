// A request that is edited before it is sent again: what differs, by the paths of a replay.
import { expect, it } from "vitest";
import { findChanges, toEditableRequest } from "../../src/console/story/sent-request.ts";
import { request } from "./entries.ts";

const READ = {
  ...request(1, { method: "GET", path: "/v1/bookings/bkg-1", operation: "getBooking", status: 200 }),
  request: { headers: { "accept-language": "da", host: "127.0.0.1" }, query: { expand: "event" }, body: null },
};
const CREATE = { ...request(2), request: { headers: {}, query: {}, body: { event_id: "evt-1", items: [1] } } };
const readBooking = toEditableRequest(READ, "/v1/bookings/{bookingId}");
const createBooking = toEditableRequest(CREATE);

it("Contains the fields of the request", () => {
  const header = { "accept-language": "da" };
  expect(readBooking).toEqual({ path: { bookingId: "bkg-1" }, query: { expand: "event" }, header });
  expect(createBooking).toEqual({ path: {}, query: {}, header: {}, body: CREATE.request.body });
});

it("Sets only changed fields, and removes deleted ones", () => {
  expect(findChanges(readBooking, JSON.stringify(readBooking))).toEqual({});
  expect(findChanges(readBooking, '{"path":{"bookingId":"bkg-2"},"query":{"limit":"1"}}')).toEqual({
    "path.bookingId": "bkg-2",
    "query.expand": null,
    "query.limit": "1",
    "header.accept-language": null,
  });
  expect(findChanges(createBooking, '{"body":{"event_id":"evt-2"}}')).toEqual({
    "body.event_id": "evt-2",
    "body.items": null,
  });
});

it.each([
  ['{"body":[1]}', "The body has to be a JSON object."],
  ['{"path":5}', "The path has to be a JSON object."],
  ["[1]", "The path has to be a JSON object."],
  ["{", /JSON/],
])("Reports a text that is no request: %s", (text, message) => {
  expect(() => findChanges(createBooking, text)).toThrow(message);
});
