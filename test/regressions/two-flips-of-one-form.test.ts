// Two flips that both change the forms of a private customer: the served document has both, not only the last.
import { expect, it } from "vitest";
import { patchDocument } from "../../src/engine/http/in-force.ts";

it("Each form of a private customer has the effects of every active override", () => {
  const { components } = patchDocument(["booking-customer-required=phone-required", "unknown-body-field=refuse"]);
  const { PrivateCustomer } = (components as { schemas: Record<string, { anyOf: Record<string, unknown>[] }> }).schemas;
  expect(PrivateCustomer?.anyOf.map(({ required, additionalProperties }) => [required, additionalProperties])).toEqual([
    [["customer_type", "email", "address", "name", "phone"], false],
    [["customer_type", "email", "address", "full_name", "phone"], false],
  ]);
});
