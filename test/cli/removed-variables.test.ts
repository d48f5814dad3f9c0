// Only the options of `start` and those that name a sandbox have variables. A removed variable prints a warning.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientOptions } from "../../src/cli/command.ts";
import { commandTable } from "../../src/cli/command-line.ts";
import { start } from "../../src/cli/commands/start.ts";
import { toEnvironment } from "../../src/engine/settings.ts";
import { startSandbox } from "../../src/index.ts";
import { runHere } from "./in-process.ts";

let sandbox: Awaited<ReturnType<typeof startSandbox>>;
let at: { SANDBOX_URL: string };

beforeAll(async () => {
  sandbox = await startSandbox({ url: null, clock: "2030-06-01T09:00:00Z" });
  at = { SANDBOX_URL: sandbox.url };
});
afterAll(() => sandbox.close());

const commands = Object.values(commandTable).flatMap((entries) =>
  entries.flatMap((entry) =>
    "members" in entry ? entry.members.map((member) => ({ ...member, name: `${entry.name} ${member.name}` })) : [entry],
  ),
);

it("Only options of start and of the connection have a variable", () => {
  const allowed = new Set([...start.options.map(({ name }) => toEnvironment(name)), "SANDBOX_URL", "SANDBOX_WORLD"]);
  for (const { name, options } of commands)
    for (const { environment } of options)
      expect([name, allowed.has(environment ?? "SANDBOX_URL")]).toEqual([name, true]);
  expect(start.options.map(({ environment }) => environment)).toEqual(
    start.options.map(({ name }) => toEnvironment(name)),
  );
  expect(clientOptions.map(({ environment }) => environment)).toEqual([
    ...["SANDBOX_URL", "SANDBOX_WORLD", "SANDBOX_CONTROL_TOKEN"],
    undefined,
  ]);
});

describe("A removed variable has no effect, and one warning names its replacement:", () => {
  it("a clock moves with SANDBOX_DRY_RUN", async () => {
    const { code, stderr } = await runHere(["clock", "advance", "PT1H"], { ...at, SANDBOX_DRY_RUN: "1" });
    expect([code, stderr.match(/SANDBOX_DRY_RUN/g)]).toEqual([0, ["SANDBOX_DRY_RUN"]]);
    expect(stderr).toContain("Warning: SANDBOX_DRY_RUN has no effect. Use --dry-run.\n");
    expect(await sandbox.clock.now()).toMatch(/^2030-06-01T10:00:00/);
  });

  it("an act runs with SANDBOX_LIST, and a fault gets no name from SANDBOX_NAME", async () => {
    const words = ["act", "cancelBooking", "--set", "booking_id=bkg-evening", "--json"];
    const { code, stdout, stderr } = await runHere(words, { ...at, SANDBOX_LIST: "true", SANDBOX_SET: "refund=full" });
    expect([code, stderr]).toEqual([
      0,
      "Warning: SANDBOX_LIST has no effect. Use --list.\nWarning: SANDBOX_SET has no effect. Use --set.\n",
    ]);
    expect(JSON.parse(stdout)).toHaveProperty("facts");
    await runHere(["fault", "add", "getMe", "--status", "503"], at);
    const cleared = await runHere(["fault", "clear"], { ...at, SANDBOX_NAME: "other" });
    expect(cleared.stderr).toContain("Warning: SANDBOX_NAME has no effect. Use --name.\n");
    expect(await sandbox.faults.list()).toEqual([]);
  });

  it.each([
    ["SANDBOX_FAULT_STATUS", "--status of `sandbox fault add`"],
    ["SANDBOX_CALL_DATA", "--data of `sandbox call`"],
    ["SANDBOX_STATUS", "--status"],
    ["SANDBOX_TEST", "--test"],
  ])("%s", async (name, instead) => {
    const { code, stderr } = await runHere(["clock"], { ...at, [name]: "1" });
    expect([code, stderr]).toEqual([0, `Warning: ${name} has no effect. Use ${instead}.\n`]);
  });
});

it("A variable of start has no effect on other commands", async () => {
  const { code, stdout, stderr } = await runHere(["clock"], { ...at, SANDBOX_JSON: "1", SANDBOX_DATA: "x" });
  expect([code, stderr]).toEqual([0, ""]);
  expect(() => JSON.parse(stdout)).toThrow();
  const failed = await runHere(["clock", "--url", "nonsense"], { SANDBOX_JSON: "1" });
  expect([failed.code, failed.stdout]).toEqual([2, ""]);
});

it("A command that starts a sandbox reads the variables of start", async () => {
  const started = await runHere(["exec", "--", process.execPath, "-e", ""], {
    SANDBOX_JSON: "1",
    SANDBOX_SEED: "x/y/z",
  });
  expect([started.code, JSON.parse(started.stdout).error.message]).toEqual([
    2,
    expect.stringContaining("SANDBOX_SEED"),
  ]);
});

it("Variables that the sandbox sets for programs, and those of others, cause no warning", async () => {
  const given = ["RUN_FOLDER", "DAY_MS", "WEBHOOK_SECRETS", "WEBHOOK_SECRET", "CLIENT_SECRET", "TOKEN_URL", "REDIRECT"];
  const environment = Object.fromEntries([...given, "OF_MY_SHOP"].map((name) => [`SANDBOX_${name}`, "x"]));
  expect(await runHere(["clock"], { ...environment, ...at })).toMatchObject({ code: 0, stderr: "" });
});
