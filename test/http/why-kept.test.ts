// What an offer keeps: of every row exactly these members change, what is shown is what is sent, and it works.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answered, openSandbox, type TestSandbox, type TestWorld } from "../sandbox.ts";
import { type Kept, kept } from "./why-kept.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "harbour-tours" });
});
afterAll(() => sandbox.close());

/** `$booking` is its order, `#booking` its first ticket, `##booking` its second. */
async function resolved(value: unknown, world: TestWorld): Promise<unknown> {
  if (typeof value === "string" && /^(\$|##?)bkg/.test(value)) {
    const { orders, tickets } = (await world.control("get", "state")).body.collections;
    const booking = value.replace(/^[$#]+/, "");
    const own = tickets.filter(({ booking_id }: { booking_id: string }) => booking_id === booking);
    return value[0] === "$"
      ? orders.find(({ origin }: { origin: { id: string } }) => origin.id === booking).id
      : own[value[1] === "#" ? 1 : 0].id;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((each) => resolved(each, world)));
  const members = Object.entries(value).map(async ([name, each]) => [name, await resolved(each, world)]);
  return Object.fromEntries(await Promise.all(members));
}

async function sent({ request }: Kept, input: Kept["input"], world: TestWorld): Promise<Answered> {
  const [kind, name = ""] = request.split(" ");
  return kind === "act" ? world.act(name, input.body as object) : world.call(request, { ...input, undocumented: true });
}

type Members = Record<string, unknown>;

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

test.each(kept.map((row) => [row.name, row] as const))("%s", async (_, row) => {
  const world = await sandbox.world();
  for (const [act, given] of row.before ?? []) expect((await world.act(act, given)).status).toBe(200);
  const input = { ...row.input, body: await resolved(row.input.body, world) };
  const refused = await sent(row, input, world);
  const id = refused.headers["sandbox-request-id"];
  const { refusal } = (await world.control("get", `why/${id}`)).body;
  expect(refusal?.rule, refused.text).toBe(row.rule);
  const { smallest } = refusal;
  const shown = JSON.stringify(smallest);
  const [expectedSet, expectedFirst] = [await resolved(row.set, world), await resolved(row.first, world)];
  const applied = await world.control("post", `why/${id}/apply`);
  if (row.advice) {
    expect(smallest).toEqual({ text: expect.stringMatching(row.advice), tried: false });
    return expect([applied.status, applied.body.code]).toEqual([409, "NOTHING_TO_APPLY"]);
  }
  expect([smallest.tried, smallest.works_now], shown).toEqual([true, true]);
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
