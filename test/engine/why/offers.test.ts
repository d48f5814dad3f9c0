// What an offer keeps: of every row exactly these members change, what is shown is what is sent, and it works.
import { expect, test } from "vitest";
import { domainErrors } from "../../../src/engine/domain/kernel/domain-error.ts";
import { type Answered, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { type OfferRow, offerRows } from "./offers.ts";
import { refusals, refusedActs } from "./refusals.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });

type Members = Record<string, unknown>;
type Named = Record<"orders" | "tickets" | "entries" | "giftCards", Members[]>;

/** What a row can't know: `$id` is the order of a booking or a card, `#id` the first ticket of a booking and `##id` its second, `@id` the
 * card that was made for a refund of a booking, `!KIND` an entry of a kind, `%KIND` one without a document;
 * `~name` is a member of what the first act before made. */
const NAMED: Readonly<Record<string, (name: string, of: Named) => unknown>> = {
  $: (name, { orders }) => orders.find(({ origin }) => (origin as Members).id === name)?.id,
  "#": (name, { tickets }) => tickets.find(({ booking_id }) => booking_id === name)?.id,
  "##": (name, { tickets }) => tickets.filter(({ booking_id }) => booking_id === name)[1]?.id,
  "@": (name, { orders, giftCards }) => {
    const of = orders.find(({ origin }) => (origin as Members).id === name);
    const made = ((of?.refunds ?? []) as { details?: Members }[]).map(({ details }) => details?.destination_order_id);
    return giftCards.find(({ order_id }) => made.includes(order_id))?.id;
  },
  "%": (name, { entries }) =>
    entries.filter(({ kind, documents }) => kind === name && ![documents].flat().length).at(-1)?.id,
  "!": (name, { entries }) => entries.find(({ kind }) => kind === name)?.id,
};

async function resolved(value: unknown, world: TestWorld, made: Members = {}): Promise<unknown> {
  const [, sign = "", name = ""] = (typeof value === "string" && /^([$@%!~]|##?)(\w.*)$/.exec(value)) || [];
  if (sign === "~") return made[name];
  if (sign !== "") return NAMED[sign]?.(name, (await world.control("get", "state")).body.collections);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((each) => resolved(each, world, made)));
  const members = Object.entries(value).map(async ([name, each]) => [name, await resolved(each, world, made)]);
  return Object.fromEntries(await Promise.all(members));
}

async function sent({ request }: OfferRow, input: OfferRow["input"], world: TestWorld): Promise<Answered> {
  const [kind, name = ""] = request.split(" ");
  if (kind === "trigger") return world.control("post", "trigger", input.body as object);
  return kind === "act" ? world.act(name, input.body as object) : world.call(request, { ...input, undocumented: true });
}

/** An own reading of the paths, so that a wrong one is noticed. */
function withSet(body: unknown, set: Members): unknown {
  const made = { body: structuredClone(body) as Members };
  for (const [path, value] of Object.entries(set).filter(([path]) => path.startsWith("body"))) {
    const steps = path.split(".");
    const last = steps.pop() as string;
    const at = steps.reduce<Members>((from, step) => from[step] as Members, made);
    if (value === null) delete at[last];
    else at[last] = value;
  }
  return made.body;
}

/** No request or act of the log is refused for these: they belong to the control surface, or the contract is broken before. */
const NEVER = [
  ...["BAD_REQUEST", "FIXTURE_NOT_HERE", "MOMENT_NOT_KEPT", "MOMENT_UNKNOWN", "SCOPE_UNKNOWN", "SERVICE_UNAVAILABLE"],
  ...["IDEMPOTENCY_KEY_REUSED", "NO_SUBSCRIPTION", "WORLD_WAS_RESET"],
];

test("every error of the rules that a request or an act can cause has a row here or among the rejections", () => {
  const met = new Set([...offerRows, ...refusals, ...refusedActs].map(({ rule }) => rule));
  expect(
    Object.keys(domainErrors)
      .filter((code) => !met.has(code))
      .sort(),
  ).toEqual(NEVER.sort());
});

test.each(offerRows.map((row) => [row.name, row] as const))("%s", async (_, row) => {
  const world = await sandbox.world();
  let made: Members | undefined;
  for (const [act, given] of row.before ?? []) {
    const { body, text } = await world.act(act, (await resolved(given, world, made)) as object);
    expect(text).toMatch(/^\{"result"/);
    made ??= body.result;
  }
  const input = { ...row.input, body: await resolved(row.input.body, world, made) };
  const refused = await sent(row, input, world);
  const id = refused.headers["sandbox-request-id"];
  const { refusal } = (await world.control("get", `why/${id}`)).body;
  expect(refusal?.rule, refused.text).toBe(row.rule);
  const { smallest } = refusal;
  const view = JSON.stringify(smallest);
  const [expectedSet, expectedFirst] = [await resolved(row.set, world), await resolved(row.first, world)];
  const applied = await world.control("post", `why/${id}/apply`);
  if (row.advice) {
    expect(smallest).toEqual({ text: expect.stringMatching(row.advice), tried: false });
    return expect([applied.status, applied.body.code]).toEqual([409, "NOTHING_TO_APPLY"]);
  }
  expect([smallest.tried, smallest.works_now], view).toEqual([true, true]);
  if (row.says) expect(smallest.text).toMatch(row.says);
  if (row.set) expect(smallest.set).toEqual(expectedSet);
  if (row.first) expect(smallest.first).toEqual(expectedFirst);
  expect(smallest.request.body).toEqual(withSet(input.body, smallest.set ?? {}) ?? null);
  expect(applied.status, applied.text).toBe(200);
  expect(applied.body.change).toEqual(smallest);
  expect(applied.body.status, applied.text).toBeLessThan(400);
  const entry = (await world.control("get", `log/${applied.body.id}`)).body;
  expect(entry.request?.body ?? entry.input ?? null).toEqual(smallest.request.body);
  if (entry.request) expect(entry.request.query).toEqual(smallest.request.query);
});
