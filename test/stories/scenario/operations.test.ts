// The members of `with` go where the document says.
import { expect, test } from "vitest";
import document from "../../../src/contract/generated/openapi.json" with { type: "json" };
import type { JsonObject } from "../../../src/platform/json.ts";
import { arrange, type Operation, operationsOf } from "../../../src/stories/scenario/operations.ts";

const operations = operationsOf(document as unknown as JsonObject);
const named = (id: string) => operations.get(id) as Operation;

test("path, header and query parameters by their names, in any case for headers", () => {
  const members = { experienceId: "exp canal", "accept-language": "da", limit: 2 };
  expect(arrange(named("listTicketVariants"), members)).toEqual({
    path: "/v1/experiences/exp%20canal/ticket-variants?limit=2",
    headers: { "accept-language": "da" },
    body: undefined,
  });
});

test("the rest into the body", () => {
  const placed = arrange(named("extendGiftCardExpiry"), { giftCardId: "gc", expires_at: "x", extra: 1 });
  expect(placed).toEqual({ path: "/v1/gift-cards/gc/extend-expiry", headers: {}, body: { expires_at: "x", extra: 1 } });
});

test("undocumented parameters are sent too, null is left out, and a plus is escaped", () => {
  const { path } = arrange(named("listBookings"), { sort: "+created_at", status: null }, { colour: ["blue", "red"] });
  expect(path).toBe("/v1/bookings?sort=%2Bcreated_at&colour=blue&colour=red");
});

test("an optional body stays away when nothing goes into it, a required one is sent empty", () => {
  expect(arrange(named("listAvailabilities"), { experienceId: "e" }).body).toBeUndefined();
  expect(arrange(named("createBooking"), {}).body).toEqual({});
});

test("the token endpoint takes a form", () => {
  expect(named("createToken")).toMatchObject({
    method: "POST",
    path: "/oauth2/token",
    body: { type: "application/x-www-form-urlencoded" },
  });
});
