// Why of a request that was not answered as it should be, though nothing stood against it: an armed fault, and a store that does not answer. It
// says what happened, whether anything was changed, and what to do next.
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { StoreError } from "../../../src/engine/log/store-error.ts";
import { ask } from "../../ask.ts";
import { anna, openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";
import { item } from "./refusals.ts";

let sandbox: TestSandbox;
let world: TestWorld;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "harbour-tours" });
});
beforeEach(async () => {
  world = await sandbox.world({ fixture: "harbour-tours" });
});
afterAll(() => sandbox.close());

const booked = () =>
  world.call("createBooking", {
    body: { event_id: "evt-evening", customer: anna, locale: "da", items: [item("var-adult")] },
    undocumented: true,
  });

async function latest() {
  const { body } = await ask("get", `${sandbox.url}/_sandbox/why`, { "sandbox-world": world.id });
  const { status, code, message, rule, smallest } = body.refusal;
  return { status, code, message: message.replace(/booking [0-9a-f]{32}/, "a booking"), rule, todo: smallest.text };
}

const CLEAR = "Clear the faults with `sandbox fault clear`, or send the request again when the fault has no hits left.";
const MADE = "It was carried out and created a booking; only its response was lost.";
const LOOK_FIRST = "Search for the record by your own reference before you send the request again.";

it.each([
  [{ status: 503 }, "An armed fault answered 503 before the operation; nothing was changed.", CLEAR],
  [{ status: 503, when: "after" }, MADE, LOOK_FIRST],
  [
    { status: 500, code: "OUT_OF_ORDER", delay_ms: 1 },
    "An armed fault waited 1 ms and answered 500 OUT_OF_ORDER before the operation; nothing was changed.",
    CLEAR,
  ],
  [{ connection: "reset" }, "An armed fault reset the connection before the operation; nothing was changed.", CLEAR],
  [{ connection: "empty", when: "after" }, MADE, LOOK_FIRST],
])("A fault that is %j", async (fault, message, todo) => {
  await world.control("put", "faults", { faults: [{ operation: "createBooking", times: 1, ...fault }] });
  await booked().catch(() => undefined);
  expect(await latest()).toEqual({
    status: "status" in fault ? fault.status : null,
    code: "status" in fault ? ("code" in fault ? fault.code : "SERVICE_UNAVAILABLE") : "",
    rule: "fault-injected",
    message,
    todo,
  });
});

it("A store that does not answer", async () => {
  await world.call("listBookings");
  const unsure = vi
    .spyOn(sandbox.running.application, "waitUntilDurable")
    .mockRejectedValue(new StoreError("The database is away."));
  const { status } = await booked().finally(() => unsure.mockRestore());
  expect(status).toBe(503);
  expect(await latest()).toEqual({
    status: 503,
    code: "SERVICE_UNAVAILABLE",
    message: "The database is away.",
    rule: "unavailable",
    todo: "Wait for the seconds in Retry-After, then send the request again. If it changes data, first search for the record by your own reference.",
  });
});
