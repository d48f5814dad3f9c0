// Every value of every enum in the specification, UNKNOWN apart, is reached: from harbour-tours as it starts, by operations, by
// the host's acts, and by the clock.
import { expect, it } from "vitest";
import { withoutUnions } from "../../../src/contract/document/without-unions.mjs";
import openapi from "../../../src/contract/generated/openapi.json" with { type: "json" };
import { anna, type Input, routes, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { ADULT, addOn, advance, allPages, done, guest, ticket } from "../operations/kit.ts";

type Node = Record<string, unknown>;

const document = withoutUnions(openapi);

const sandbox = shareSandbox();

const at = (pointer: string): Node =>
  pointer
    .split("/")
    .slice(1)
    .reduce<Node>((node, name) => node[name.replaceAll("~1", "/").replaceAll("~0", "~")] as Node, document as Node);
const valuesOf = (node: Node) =>
  [
    ...((node.enum as unknown[] | undefined) ?? []),
    ...((node["x-extensible-enum"] as unknown[] | undefined) ?? []),
  ].filter((value) => value !== "UNKNOWN") as string[];

/** Every enum of the document: where it stands, and its values. */
function* enumsIn(node: unknown, pointer: string): Generator<[string, string[]]> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node) && valuesOf(node as Node).length > 0) yield [pointer, valuesOf(node as Node)];
  for (const [name, member] of Object.entries(node)) {
    const inside = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!/^(examples?|default|const|enum|x-.*)$/.test(name) || /\/properties$/.test(pointer))
      yield* enumsIn(member, inside);
  }
}

/** Pointer of an enum → the values that were reached. */
const reached = new Map<string, Set<string>>();

/** Notes which values of which enums are in something that a schema describes. */
function note(pointer: string, value: unknown): void {
  const node = at(pointer);
  if (typeof node.$ref === "string") note(node.$ref.slice(1), value);
  if (value === undefined || value === null) return;
  if (valuesOf(node).includes(String(value)))
    reached.set(pointer, (reached.get(pointer) ?? new Set()).add(String(value)));
  for (const index of ((node.allOf as Node[] | undefined) ?? []).keys()) note(`${pointer}/allOf/${index}`, value);
  if (Array.isArray(value) && node.items) for (const each of value) note(`${pointer}/items`, each);
  if (typeof value !== "object" || !node.properties) return;
  for (const name of Object.keys(node.properties)) note(`${pointer}/properties/${name}`, (value as Node)[name]);
}

const jsonIn = (node: Node, pointer: string, type = "application/json") => {
  const [from, start] = typeof node.$ref === "string" ? [at(node.$ref.slice(1)), node.$ref.slice(1)] : [node, pointer];
  return (from.content as Node | undefined)?.[type] ? `${start}/content/${type.replace("/", "~1")}/schema` : undefined;
};

/** Calls an operation and notes the values of its request and its response. */
async function ask(world: TestWorld, operationId: string, input: Input = {}) {
  const answer = await world.call(operationId, input);
  const { operation } = routes.get(operationId) ?? {};
  const pointer = `/paths/${operation?.path.replaceAll("/", "~1")}/${operation?.method}`;
  const node = at(pointer) as { requestBody?: Node; responses: Record<string, Node>; parameters?: Node[] };
  const body = node.requestBody && jsonIn(node.requestBody, `${pointer}/requestBody`);
  if (body && answer.status < 300) note(body, input.body);
  const responded = node.responses[answer.status];
  const view = responded && jsonIn(responded, `${pointer}/responses/${answer.status}`);
  if (view) note(view, answer.body);
  for (const [index, parameter] of (node.parameters ?? []).entries()) {
    const location = typeof parameter.$ref === "string" ? parameter.$ref.slice(1) : `${pointer}/parameters/${index}`;
    const named = at(location) as { name: string; in: string };
    const value = named.in === "query" ? (input.query as Node | undefined)?.[named.name] : undefined;
    if (value === undefined || answer.status !== 200) continue;
    const isList = String(value).includes(",") || at(`${location}/schema`).type === "array";
    note(`${location}/schema`, isList ? String(value).split(",") : value);
  }
  return answer;
}

/** Notes the kinds of the messages that were sent. */
async function listen(world: TestWorld): Promise<void> {
  const { body } = await world.control("get", "messages");
  for (const { kind } of body.items) note("/components/schemas/EventKind", kind);
}

const READS: [list: string, name: string, reads: string][] = [
  ["listBookings", "bookingId", "getBooking listBookingTickets"],
  ["listOrders", "orderId", "getOrder listOrderLineItems listOrderTransactions listOrderRefunds"],
  ["listEvents", "eventId", "getEvent getEventAvailability"],
  ["listGiftCards", "giftCardId", "getGiftCard"],
  ["listJournalEntries", "journalEntryId", "getJournalEntry"],
  ["listWebhookSubscriptions", "subscriptionId", "getWebhookSubscription"],
  ["listExperiences", "experienceId", "getExperience listInformationRequests listContentBlocks listAvailabilities"],
];

/** Reads everything that can be read. */
async function sweep(world: TestWorld): Promise<void> {
  for (const [list, name, reads] of READS) {
    const { items } = await allPages(world, list);
    await ask(world, list);
    for (const { id } of items) for (const read of reads.split(" ")) await ask(world, read, { path: { [name]: id } });
  }
}

it("every value of every enum is reached", async () => {
  const world = await sandbox.world();
  const token = async (form: Record<string, string>) => {
    const answer = await fetch(`${sandbox.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
    note("/components/schemas/TokenRequest", form);
    note(answer.ok ? "/components/schemas/TokenResponse" : "/components/schemas/TokenError", await answer.json());
  };
  const credentials = {
    grant_type: "client_credentials",
    audience: sandbox.url,
    client_id: world.clientId,
    client_secret: world.clientSecret,
  };
  await token(credentials);
  await token({ ...credentials, grant_type: "" });
  await token({ ...credentials, client_secret: "wrong" });
  await token({ ...credentials, grant_type: "password" });
  await token({ ...credentials, scope: "everything" });
  await token({ ...credentials, audience: "https://elsewhere.example" });

  const kinds = valuesOf(at("/components/schemas/EventKind"));
  await ask(world, "createWebhookSubscription", {
    body: { url: "http://127.0.0.1:9/", event_types: kinds, state: "DISABLED" },
  });
  await ask(world, "createWebhookSubscription", {
    body: { url: "http://127.0.0.1:9/", event_types: kinds.slice(0, 1), state: "ENABLED" },
  });
  await sweep(world);

  for (const status of ["ACTIVE", "CANCELLED", "MOVED", "CHECKED_IN"])
    await ask(world, "listBookings", { query: { status } });
  const customer = { ...anna, customer_type: "COMPANY", company_name: "Holm ApS" };
  for (const each of [anna, customer]) {
    const made = await ask(world, "createBooking", {
      body: { event_id: "evt-evening", customer: each, locale: "da", items: [ADULT, addOn("add-blanket")] },
    });
    await ask(world, "getBooking", { path: { bookingId: made.body.id } });
  }
  const entry = (await world.call("listJournalEntries")).body.items[0].id;
  for (const status of ["STARTED", "SUCCEEDED", "FAILED"])
    await ask(world, "recordJournalEntryActivity", {
      path: { journalEntryId: entry },
      body: { status, detail: "…" },
    });
  const codes = valuesOf(at("/components/schemas/Activity/properties/detail_code"));
  for (const detail_code of codes)
    await ask(world, "recordJournalEntryActivity", {
      path: { journalEntryId: entry },
      body: { status: "FAILED", detail: "…", detail_code },
    });

  const act = async (name: string, input: object) => {
    const result = await done(world, name, input);
    if (/Experience$/.test(name)) note("/components/schemas/Experience", result);
    return result;
  };
  await act("createExperience", {
    id: "exp-new",
    name: "New",
    location_ids: ["loc-nyhavn"],
    ticket_variants: [
      { id: "var-new", name: "New", price: { currency: "DKK", value: 100, exponent: 2 }, vat_rate: "0.25" },
    ],
  });
  await act("createEvent", {
    id: "evt-new",
    experience_id: "exp-new",
    sessions: [{ start_time: "2030-06-08T08:00:00", end_time: "2030-06-08T09:00:00" }],
    capacity: 3,
  });
  await act("bookAsHost", { id: "bkg-new", event_id: "evt-new", customer: guest, items: [ticket("var-new")] });
  await act("moveBooking", { booking_id: "bkg-evening", event_id: "evt-tomorrow-evening" });
  await act("updateExperience", { experience_id: "exp-new", name: "Newer" });
  await act("updateEvent", { event_id: "evt-new", capacity: 4 });
  await act("cancelEvent", { event_id: "evt-new" });
  await act("deleteEvent", { event_id: "evt-new" });
  await act("archiveExperience", { experience_id: "exp-new" });
  await act("deleteExperience", { experience_id: "exp-new" });
  await act("submitConsent", { email: "a@example.com", full_name: "A" });
  await listen(world);
  await advance(world, "P7D");
  await listen(world);

  const wanted = [...enumsIn(document, "")];
  expect(wanted.length).toBeGreaterThan(40);
  const missing = wanted.flatMap(([pointer, values]) =>
    values.filter((value) => !reached.get(pointer)?.has(value)).map((value) => `${pointer}: ${value}`),
  );
  expect(missing).toEqual([]);
}, 240_000);
