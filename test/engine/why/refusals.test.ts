// Why a request was refused: each refusal with its rule, what it rests on, and a smallest change that works when it is sent.
import { afterAll, describe, expect, test } from "vitest";
import { ask } from "../../ask.ts";
import { type Answered, openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";
import { type Refusal, refusals, refusedActs } from "./refusals.ts";

const sandboxes = new Map<string, Promise<TestSandbox>>();
function sandboxWith(settings: Refusal["settings"] = {}): Promise<TestSandbox> {
  const key = JSON.stringify(settings);
  const opened = sandboxes.get(key) ?? openSandbox({ fixture: "harbour-tours", ...settings });
  sandboxes.set(key, opened);
  return opened;
}
afterAll(async () => {
  for (const sandbox of sandboxes.values()) await (await sandbox).close();
});

type Set = Record<string, unknown>;
type Given = NonNullable<Refusal["input"]>;

/** The request with these members: an own reading of the paths, so that a wrong one is noticed. */
function withSet({ path = {}, query = {}, body, headers = {}, ...rest }: Given, set: Set): Given {
  const parts = { path, header: headers, query: typeof query === "string" ? {} : query, body };
  const made = { parts: structuredClone(parts) as Set };
  for (const [name, value] of Object.entries(set)) {
    const steps = ["parts", ...name.split(".")];
    const last = steps.pop() as string;
    const at = steps.reduce<Set>((from, step) => from[step] as Set, made);
    if (value === null) delete at[last];
    else at[last] = value;
  }
  return { ...rest, ...made.parts, headers: made.parts.header } as Given;
}

async function send(
  { url }: TestSandbox,
  world: TestWorld,
  { request, token }: Refusal,
  input: NonNullable<Refusal["input"]>,
): Promise<Answered> {
  const [method, address] = request.split(" ") as [string, string];
  if (method === "act") return world.act(address, input.body as object);
  if (request === "token") {
    const form = {
      grant_type: "client_credentials",
      audience: url,
      client_id: world.clientId,
      client_secret: world.clientSecret,
    };
    const sent = new URLSearchParams({ ...form, ...(input.body as object) });
    return ask("post", `${url}/oauth2/token`, {}, sent.toString());
  }
  if (address) return ask(method, url + address);
  const bearer = token && (await token(world));
  return world.call(request, { ...input, undocumented: true, ...(bearer === undefined ? {} : { token: bearer }) });
}

async function holds(refusal: Refusal): Promise<void> {
  const sandbox = await sandboxWith(refusal.settings);
  const world = await sandbox.world();
  await refusal.before?.(world);
  const { input = {} } = refusal;
  const refused = await send(sandbox, world, refusal, input);
  expect(refused.status, refused.text).toBe(refusal.status);
  const id = refused.headers["sandbox-request-id"];
  const inWorld =
    refusal.rule.startsWith("path") ||
    refusal.rule.startsWith("method") ||
    /^token-(missing|unknown|malformed)/.test(refusal.rule)
      ? "default"
      : world.id;
  const { body, status, text } = await ask("get", `${sandbox.url}/_sandbox/why/${id}`, { "sandbox-world": inWorld });
  expect(status, text).toBe(200);
  const { refusal: why } = body;
  expect(why.rule, text).toBe(refusal.rule);
  expect(why.status).toBe(refusal.status);
  expect(
    why.checks.filter(({ passed }: { passed: boolean }) => passed === false),
    JSON.stringify(why.checks, null, 1),
  ).toHaveLength(1);
  expect(why.checks.find(({ passed }: { passed: boolean }) => passed === false).looked_at).not.toBe("");
  const based = why.rests_on.map(({ id, text }: { id?: string; text: string }) => `${id ?? ""}: ${text}`);
  expect(
    based.some((each: string) =>
      typeof refusal.rests_on === "string" ? each.startsWith(`${refusal.rests_on}:`) : refusal.rests_on.test(each),
    ),
    based.join("\n"),
  ).toBe(true);
  expect(why.smallest, text).toBeDefined();
  if (refusal.smallest) expect(why.smallest.text).toMatch(refusal.smallest);
  if (refusal.set) expect(why.smallest.set).toEqual(refusal.set);
  if (refusal.tried !== undefined) expect(why.smallest.tried, JSON.stringify(why.smallest)).toBe(refusal.tried);
  if (!why.smallest.set) return;
  expect(why.smallest.tried, JSON.stringify(why.smallest)).toBe(true);
  const again = withSet(input, why.smallest.set);
  const answered = await send(sandbox, world, refusal, again);
  expect(answered.status, `${JSON.stringify(why.smallest)} ${answered.text}`).toBeLessThan(400);
}

describe("explains a rejected request", () => {
  test.each(refusals.map((refusal) => [refusal.name, refusal] as const))("%s", (_, refusal) => holds(refusal));
});

describe("explains a rejected act", () => {
  test.each(refusedActs.map((refusal) => [refusal.name, refusal] as const))("%s", (_, refusal) => holds(refusal));
});
