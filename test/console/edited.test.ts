// A request that is edited before it is sent again: what differs, by the paths of a replay.
import { expect, it } from "vitest";
import { findChanges, parseEditedTexts, toEditableTexts } from "../../src/console/story/request-texts.ts";
import { request } from "./entries.ts";

const READ = {
  ...request(1, { method: "GET", path: "/v1/bookings/bkg-1", operation: "getBooking", status: 200 }),
  request: { headers: { "accept-language": "da", host: "127.0.0.1" }, query: { expand: "event" }, body: null },
};
const TEMPLATE = { method: "GET", path: "/v1/bookings/{bookingId}" };
const CREATE = { ...request(2), request: { headers: {}, query: {}, body: { event_id: "evt-1", items: [1] } } };

it("Contains the fields of the request, as lines and JSON", () => {
  expect(toEditableTexts(READ, TEMPLATE)).toEqual({
    path: "bookingId=bkg-1",
    query: "expand=event",
    header: "accept-language=da",
  });
  expect(toEditableTexts(CREATE, undefined)).toEqual({
    ...{ query: "", header: "", body: JSON.stringify({ event_id: "evt-1", items: [1] }, null, 2) },
  });
});

it("Sets only changed fields, and removes deleted ones", () => {
  const before = toEditableTexts(READ, TEMPLATE);
  expect(findChanges(before, before)).toEqual({});
  expect(findChanges(before, { path: "bookingId=bkg-2", query: "limit=1\n\n", header: "accept-language=da" })).toEqual({
    ...{ "path.bookingId": "bkg-2", "query.expand": null, "query.limit": "1" },
  });
  expect(
    findChanges(toEditableTexts(CREATE, undefined), { query: "", header: "", body: '{"event_id":"evt-2"}' }),
  ).toEqual({
    ...{ "body.event_id": "evt-2", "body.items": null },
  });
});

it("Reports the line or body that it can't parse", () => {
  const before = toEditableTexts(CREATE, undefined);
  expect(findChanges(before, { ...before, query: "limit" })).toBe("“limit” of the query is not name=value.");
  expect(findChanges(before, { ...before, body: "[1]" })).toBe("The body has to be a JSON object.");
  expect(findChanges(before, { ...before, body: "{" })).toMatch(/^The body is no JSON: /);
});

it("Accepts only text from an address", () => {
  expect(parseEditedTexts('{"path":5,"query":[],"headers":7,"header":"a=b"}')).toEqual({ header: "a=b" });
  expect(["[1]", "5", "null", "{", ""].map(parseEditedTexts)).toEqual([{}, {}, {}, {}, {}]);
});
