// The source of an option's value, and which values are rejected.
import { describe, expect, it } from "vitest";
import type { Option } from "../../src/cli/command.ts";
import { Misuse } from "../../src/cli/failure.ts";
import { type Environment, readOptions, type Typed } from "../../src/cli/options.ts";
import { withVariable } from "../../src/cli/start-settings.ts";
import { runHere } from "./in-process.ts";

const options = [
  { name: "port", kind: "number", placeholder: "N", default: 4010, meaning: "" },
  { name: "retry", kind: "text", placeholder: "how", default: "standard", choices: ["standard", "fast"], meaning: "" },
  { name: "memory", kind: "flag", default: false, meaning: "" },
  { name: "audience", kind: "list", placeholder: "A", default: [], meaning: "" },
  { name: "webhook-events", kind: "list", placeholder: "a,b", default: [], meaning: "" },
  { name: "dry-run", kind: "flag", default: false, meaning: "" },
].map((each) => (each.name === "dry-run" ? each : withVariable(each as Option))) as Option[];

const TAKEN: [what: string, typed: Typed, environment: Environment, name: string, value: unknown, source: string][] = [
  ["a default", {}, {}, "port", 4010, "default"],
  ["the environment before the default", {}, { SANDBOX_PORT: "5" }, "port", 5, "environment"],
  ["the flag before the environment", { port: ["6"] }, { SANDBOX_PORT: "5" }, "port", 6, "flag"],
  ["an empty variable as none", {}, { SANDBOX_PORT: "" }, "port", 4010, "default"],
  ["the last of several values", { port: ["5", "6"] }, {}, "port", 6, "flag"],
  ["a flag", { memory: true }, {}, "memory", true, "flag"],
  ["a flag of the environment", {}, { SANDBOX_MEMORY: "yes" }, "memory", true, "environment"],
  ["a flag that the environment denies", {}, { SANDBOX_MEMORY: "0" }, "memory", false, "environment"],
  ["a choice", { retry: ["fast"] }, {}, "retry", "fast", "flag"],
  ["each of a repeated option", { audience: ["a", "b,c"] }, {}, "audience", ["a", "b,c"], "flag"],
  [
    "several in one, where commas separate",
    { "webhook-events": ["a, b", "c"] },
    {},
    "webhook-events",
    ["a", "b", "c"],
    "flag",
  ],
  ["several in a variable", {}, { SANDBOX_AUDIENCE: "a, b" }, "audience", ["a", "b"], "environment"],
  ["nothing from a variable that is not its own", {}, { SANDBOX_DRY_RUN: "1" }, "dry-run", false, "default"],
];

const REFUSED: [typed: Typed, environment: Environment, words: string][] = [
  [{ port: ["abc"] }, {}, "--port is abc, which is not a number."],
  [{ port: ["-1"] }, {}, "--port is -1"],
  [{ port: [""] }, {}, "--port is empty."],
  [{}, { SANDBOX_PORT: "x" }, "SANDBOX_PORT is x"],
  [{ retry: ["fsat"] }, {}, "--retry is fsat. Did you mean fast? It takes standard or fast."],
  [{}, { SANDBOX_MEMORY: "maybe" }, "SANDBOX_MEMORY is maybe."],
  [{ "webhook-events": ["a,,b"] }, {}, "--webhook-events is empty."],
];

describe("An option accepts", () => {
  it.each(TAKEN)("%s", (_, typed, environment, name, value, source) => {
    const given = readOptions(options, typed, environment);
    const { kind } = options.find((option) => option.name === name) as Option;
    expect(given[kind](name)).toEqual(value);
    expect(given.source(name)).toBe(source);
  });
});

describe("An option rejects", () => {
  it.each(REFUSED)("%j %j", (typed, environment, words) => {
    expect(() => readOptions(options, typed, environment)).toThrow(Misuse);
    expect(() => readOptions(options, typed, environment)).toThrow(words);
  });
});

describe("A command that starts a sandbox", () => {
  const node = ["--", process.execPath, "-e", ""];

  it("accepts an option of start by name", async () => {
    const words = ["--option", "audience=https://a.example", "--option", "quiet=true", "--json"];
    expect(await runHere(["exec", ...words, ...node])).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    ["rate-limt=5", "--option does not take rate-limt. Did you mean rate-limit? It takes: port,"],
    ["clock=now", "--option does not take clock. Write it as --clock."],
    ["quiet", "--option is quiet, which is not name=value. Write it as --option rate-limit=60/min."],
    ["retry=slow", "--option retry is slow"],
  ])("rejects --option %s", async (text, sentence) => {
    const { code, stderr } = await runHere(["exec", "--option", text, ...node]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

  it("suggests --option for a removed option", async () => {
    const { code, stderr } = await runHere(["exec", "--rate-limit", "60/min", ...node]);
    expect([code, stderr]).toEqual([2, "`sandbox exec --rate-limit` was removed. Use `--option rate-limit=VALUE`.\n"]);
  });

  it("reads the configuration file of --config", async () => {
    const { code, stderr } = await runHere(["exec", "--config", "nowhere.yaml", ...node]);
    expect([code, stderr]).toEqual([2, "--config nowhere.yaml does not exist. Name a file.\n"]);
  });
});

describe("sandbox help", () => {
  it("lists every command on one line of a page", async () => {
    const { stdout } = await runHere(["--help"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(56);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it("documents the connection options once", async () => {
    const { code, stdout } = await runHere(["help", "connection"]);
    expect(code).toBe(0);
    for (const name of ["--url", "--world", "--control-token", "--json"]) expect(stdout).toContain(name);
    const { stdout: ofCommand } = await runHere(["clock", "show", "--help"]);
    expect(ofCommand).not.toContain("--url <URL>");
    expect(ofCommand).toContain("`sandbox help connection`");
  });

  it("prints the help of a command, and suggests the nearest name", async () => {
    const [named, asked] = [await runHere(["help", "clock", "show"]), await runHere(["clock", "show", "--help"])];
    expect(named.stdout).toBe(asked.stdout);
    expect(await runHere(["help", "clok"])).toMatchObject({ code: 2, stderr: expect.stringContaining("clock") });
  });

  it("describes every option in one form, with the names of the command line", async () => {
    const { stdout } = await runHere(["fault", "add", "--help"]);
    const text = stdout.replace(/\s+/g, " ");
    expect(text).not.toMatch(/One of|late_ms|`client_id`/);
    expect(text).toContain("it is sent after --late.");
    expect(text).toContain("(one of GET, HEAD, POST, PUT, PATCH, DELETE).");
  });
});
