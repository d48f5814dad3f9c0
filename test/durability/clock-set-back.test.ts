// The clock of the machine is set back, while the sandbox runs and while it does not: a world's own time never runs backwards.
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { findDefaultWorld, openSandbox, type TestSandbox, type TestWorld } from "../sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";

const DAY = 86_400_000;
const folder = makeTempFolder();
const open: TestSandbox[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const sandbox of open.splice(0)) await sandbox.close();
});

const really = Date.now;
const setClock = (days: number) => vi.spyOn(Date, "now").mockImplementation(() => really() + days * DAY);

async function start(data: string): Promise<{ sandbox: TestSandbox; world: TestWorld }> {
  const sandbox = await openSandbox({ data, clock: undefined, fixture: "empty" });
  open.push(sandbox);
  return { sandbox, world: findDefaultWorld(sandbox) };
}

const nowIn = async (world: TestWorld): Promise<string> => (await world.control("get", "clock")).body.now;

async function consented(world: TestWorld, email: string): Promise<string> {
  const { body } = await world.act("submitConsent", { full_name: "Anna Holm", email });
  const { collections } = (await world.control("get", "state")).body;
  return collections.consents.find(({ id }: { id: string }) => id === body.result.id).created_at;
}

it("When the system clock goes back a day while it runs: instants advance, tokens stay valid, lists keep their order", async () => {
  const { world } = await start(join(folder, "running.json"));
  const first = await consented(world, "a@example.com");
  const token = await world.token();
  setClock(-1);
  const second = await consented(world, "b@example.com");
  expect(second >= first).toBe(true);
  expect((await world.call("getMe", { token })).status).toBe(200);
  expect((await world.call("getMe", { token: await world.token() })).status).toBe(200);
  const { body } = await world.call("listMarketingConsents");
  expect(body.items.map(({ email }: { email: string }) => email).sort()).toEqual(["a@example.com", "b@example.com"]);
  expect((await nowIn(world)) >= second).toBe(true);
});

it("When the system clock goes back a day while it is stopped: it continues at its last instant", async () => {
  const file = join(folder, "resting.json");
  const { sandbox, world } = await start(file);
  const first = await consented(world, "a@example.com");
  await sandbox.close();
  open.splice(0);
  setClock(-1);
  const again = (await start(file)).world;
  expect((await nowIn(again)) >= first).toBe(true);
  expect((await consented(again, "b@example.com")) >= first).toBe(true);
});
