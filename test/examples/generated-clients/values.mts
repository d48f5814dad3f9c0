// Holds the generated validators against values that the sandbox takes and refuses, against every example of both documents and
// against what a running sandbox answers to the generated clients.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { startSandbox } from "experience-sandbox";
import createClient from "openapi-fetch";
import * as heyControl from "./made/hey-api/control/zod.gen";
import { client } from "./made/hey-api/openapi/client.gen";
import { createBooking as bookByHeyApi } from "./made/hey-api/openapi/sdk.gen";
import type { CustomerInput } from "./made/hey-api/openapi/types.gen";
import * as heyPublic from "./made/hey-api/openapi/zod.gen";
import type { paths } from "./made/openapi-typescript/openapi";
import { getClock } from "./made/orval/control";
import * as orvalControl from "./made/orval/control.zod";
import { createBooking as bookByOrval } from "./made/orval/openapi";
import * as orvalPublic from "./made/orval/openapi.zod";
import { unions } from "./unions.js";

type Validator = { safeParse(value: unknown): { success: boolean; error?: unknown } };
type Union = { accepted: unknown[]; refused: unknown[] };
type Media = { examples?: Record<string, { value: unknown }>; example?: unknown };
type Operation = {
  operationId?: string;
  requestBody?: { content: Record<string, Media> };
  responses?: Record<string, { content?: Record<string, Media> }>;
};

const hey = { openapi: heyPublic, control: heyControl } as unknown as Record<string, Record<string, Validator>>;
const orval = { openapi: orvalPublic, control: orvalControl } as unknown as Record<string, Record<string, Validator>>;
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function mustTake(validator: Validator | undefined, value: unknown, what: string): void {
  assert.ok(validator, `there is no validator for ${what}`);
  const { success, error } = validator.safeParse(value);
  assert.ok(success, `${what} refuses ${JSON.stringify(value)}: ${error}`);
}

/** orval writes a union where an operation holds it. */
const { createBookingBody, listOrderTransactionsResponse, listOrderRefundsResponse, listContentBlocksResponse } =
  orvalPublic;
const { getAvailabilityResponse, getBookingResponse, getEventAvailabilityResponse, listOrderLineItemsResponse } =
  orvalPublic;
const IN_ORVAL: Record<string, Validator> = {
  CustomerInput: createBookingBody.shape.customer,
  Customer: getBookingResponse.shape.customer,
  LineItemDetails: listOrderLineItemsResponse.shape.items.element.shape.details,
  TransactionDetails: listOrderTransactionsResponse.shape.items.element.shape.details.unwrap(),
  RefundDetails: listOrderRefundsResponse.shape.items.element.shape.details.unwrap(),
  ContentBlock: listContentBlocksResponse.shape.items.element,
  AvailabilitySubject: getAvailabilityResponse.shape.subject,
  AvailabilityConstraint: getAvailabilityResponse.shape.constraints.element,
  EventAvailabilityConstraint: getEventAvailabilityResponse.shape.constraints.element,
};

for (const [document, named] of Object.entries(unions as Record<string, Record<string, Union>>))
  for (const [name, { accepted, refused }] of Object.entries(named))
    for (const [generator, validator] of Object.entries({
      heyApi: hey[document]?.[`z${name}`],
      orval: IN_ORVAL[name],
    })) {
      const what = `${name} of ${generator}`;
      if (!validator && generator === "orval" && document === "control") continue;
      for (const value of accepted) mustTake(validator, value, what);
      for (const value of refused)
        assert.equal(validator?.safeParse(value).success, false, `${what} takes ${JSON.stringify(value)}`);
    }

const counted = { heyApi: 0, orval: 0 };
const valuesOf = (content: Record<string, Media> | undefined): unknown[] => {
  const { examples = {}, example } = content?.["application/json"] ?? {};
  return [...Object.values(examples).map(({ value }) => value), ...(example === undefined ? [] : [example])];
};
for (const document of ["openapi", "control"]) {
  const { paths } = JSON.parse(readFileSync(`made/${document}.json`, "utf8"));
  for (const { operationId, requestBody, responses } of Object.values<Record<string, Operation>>(paths).flatMap(
    Object.values<Operation>,
  )) {
    if (!operationId) continue;
    const held = [
      ["Body", valuesOf(requestBody?.content)],
      [
        "Response",
        Object.entries(responses ?? {}).flatMap(([status, { content }]) =>
          /^2/.test(status) ? valuesOf(content) : [],
        ),
      ],
    ] as const;
    for (const [kind, values] of held)
      for (const value of values) {
        mustTake(hey[document]?.[`z${capital(operationId)}${kind}`], value, `${operationId} ${kind} of hey-api`);
        // orval writes validators of bodies and of answers with 200 only.
        const byOrval = orval[document]?.[`${operationId}${kind}`];
        if (byOrval) mustTake(byOrval, value, `${operationId} ${kind} of orval`);
        counted.orval += byOrval ? 1 : 0;
        counted.heyApi++;
      }
  }
}
assert.ok(counted.heyApi > 100 && counted.orval > 40, `only so many examples were held: ${JSON.stringify(counted)}`);

const sandbox = await startSandbox({ fixture: "harbour-tours" });
const world = await sandbox.world({ seed: 7 });
const headers = { authorization: `Bearer ${await world.token()}` };
const booking = (customer: CustomerInput) => ({
  event_id: "evt-evening",
  customer,
  locale: "en",
  items: [{ item_type: "VARIANT" as const, type_id: "var-adult", quantity: 1 }],
});
const real = globalThis.fetch;
/** What orval writes asks for paths. */
globalThis.fetch = (url, options) => real(typeof url === "string" ? new URL(url, world.url) : url, options);
client.setConfig({ baseUrl: world.url, headers });
const fetching = createClient<paths>({ baseUrl: world.url, headers });

for (const customer of unions.openapi.CustomerInput.accepted as CustomerInput[]) {
  const { status } = await bookByOrval(booking(customer), { headers });
  const { response: byHeyApi } = await bookByHeyApi({ body: booking(customer) });
  const { response: byFetch } = await fetching.POST("/v1/bookings", { body: booking(customer) });
  assert.deepEqual([status, byHeyApi?.status, byFetch.status], [201, 201, 201], JSON.stringify(customer));
}
for (const customer of unions.openapi.CustomerInput.refused as CustomerInput[]) {
  const { status } = await bookByOrval(booking(customer), { headers });
  assert.equal(status, 400, JSON.stringify(customer));
}
for (const [path, name] of [
  ["/v1/bookings", "ListBookings"],
  ["/v1/orders", "ListOrders"],
  ["/v1/events", "ListEvents"],
  ["/v1/experiences", "ListExperiences"],
] as const) {
  const answer = await fetching.GET(path, { params: { header: { "Accept-Language": "en" } } } as never);
  const body = answer.data as unknown as { items: unknown[] };
  assert.ok(body?.items.length > 0, `${path}: ${JSON.stringify(answer.error)}`);
  mustTake(hey.openapi?.[`z${name}Response`], body, `${name} of hey-api`);
}
assert.equal((await getClock()).status, 200);
await sandbox.close();
console.log(`unions, ${counted.heyApi} examples and calls hold`);
