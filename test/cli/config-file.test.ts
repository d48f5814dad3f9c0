// The configuration file: how it is found, which options it sets, which sources override it, and the errors about its content.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020 from "ajv/dist/2020.js";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../src/cli/config-file.ts";
import { Misuse } from "../../src/cli/failure.ts";
import { type Environment, readOptions, type Typed } from "../../src/cli/options.ts";
import { configurable, readSettings, startOptions } from "../../src/cli/start-settings.ts";
import { defaults, type Settings } from "../../src/engine/settings.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { run } from "./run-sandbox.ts";

let root: string;
beforeEach(() => {
  root = makeTempFolder();
  mkdirSync(join(root, "src", "deep"), { recursive: true });
});

const configure = (text: string, name = "sandbox.config.yaml") => writeFileSync(join(root, name), text);
const settingsIn = (folder: string, typed: Typed = {}, environment: Environment = {}) =>
  readSettings(readOptions(startOptions, typed, environment, readConfig(join(root, folder), configurable)));

/** What start takes where nothing is said. */
const byDefault: Settings = { ...defaults, port: 4010, data: ".sandbox/world.json" };

const WHOLE = `# of this project
port: 4321
host: 127.0.0.1
fixture: ./my-company
data: state/world.json
durability: fsync
clock: 2030-06-01T09:00:00Z
seed: 7
webhook-url: http://127.0.0.1:3000/hook
webhook-events: [v1.booking.created, v1.booking.cancelled]
maturity: production
audience:
  - https://api.example.com
assume: { signature-text: v1 }
retry: fast
rate-limit: 60/min
strict-responses: true
`;

describe("A configuration file", () => {
  it("sets options of start, from any subfolder, with paths relative to the file", () => {
    configure(WHOLE);
    expect(settingsIn("src/deep")).toEqual({
      ...byDefault,
      port: 4321,
      fixture: join(root, "my-company"),
      data: join(root, "state", "world.json"),
      durability: "fsync",
      clock: "2030-06-01T09:00:00Z",
      seed: "7",
      webhookUrl: "http://127.0.0.1:3000/hook",
      webhookEvents: ["v1.booking.created", "v1.booking.cancelled"],
      maturity: "production",
      audience: ["https://api.example.com"],
      assume: { "signature-text": "v1" },
      retry: "fast",
      rateLimit: 60,
      strictResponses: true,
    });
  });

  it("can be JSON, and can be empty", () => {
    configure(
      '{ "$schema": "./x.json", "port": 5, "fixture": "empty", "assume": ["tickets=per-booking"] }',
      "sandbox.config.json",
    );
    expect(settingsIn("src")).toEqual({ ...byDefault, port: 5, fixture: "empty", assume: { tickets: "per-booking" } });
    configure("", "src/sandbox.config.yaml");
    expect(settingsIn("src")).toEqual(byDefault);
  });

  it("is overridden by options and the environment", () => {
    configure("port: 5\nmaturity: production\nmemory: true\nretry: fast\n");
    const given = settingsIn("", { port: ["6"] }, { SANDBOX_PORT: "7", SANDBOX_MATURITY: "preview" });
    expect(given).toEqual({ ...byDefault, port: 6, maturity: "preview", retry: "fast", data: undefined });
    expect(settingsIn("", {}, { SANDBOX_DATA: "w.json" })).toEqual({
      ...byDefault,
      port: 5,
      maturity: "production",
      retry: "fast",
      data: "w.json",
    });
  });

  it("can leave the webhook address to the command line", () => {
    configure("webhook-events: [v1.booking.created]\n");
    expect(settingsIn("", { "webhook-url": ["http://127.0.0.1:1/"] })).toEqual({
      ...byDefault,
      webhookUrl: "http://127.0.0.1:1/",
      webhookEvents: ["v1.booking.created"],
    });
    expect(() => settingsIn("")).toThrow(
      /sandbox\.config\.yaml:1:1: webhook-events says what to send, but not where\. Add --webhook-url/,
    );
  });
});

const MISTAKES: [text: string, place: string, words: string][] = [
  ["port: 1\nfixtur: empty\n", "2:1", "There is no option fixtur. Did you mean fixture?"],
  ["webhookUrl: x\n", "1:1", "Did you mean webhook-url?"],
  ["port:\n", "1:1", "port is null. Give it one value (N), or leave it out."],
  ["fresh: 1\n", "1:1", "fresh is 1. Give it true or false, or leave it out."],
  ["host: ''\n", "1:1", "host is empty."],
  ["maturity: prod\n", "1:1", "Did you mean production?"],
  ["rate-limit: 60\n", "1:1", "rate-limit is the text 60, which is not a number of requests a minute"],
  ["audience: { a: 1 }\n", "1:1", 'audience is {"a":1}. Give it a list of texts (A), or leave it out.'],
  ["memory: true\ndata: w.json\n", "1:1", "memory keeps nothing on disk, and"],
  ["- port\n", "1:1", "The file is not a map of options."],
  ["port: 1\nport: 2\n", "2:1", "one map has this name twice. Remove or rename one of the two"],
  ["port: [1\n", "2:1", "Flow sequence in block collection must be"],
];

describe("An error in the file is reported with file, line and column:", () => {
  it.each(MISTAKES)("%j", (text, index, words) => {
    configure(text);
    const reading = () => settingsIn("src", { port: ["1"] });
    expect(reading).toThrow(Misuse);
    expect(reading).toThrow(new RegExp(`sandbox\\.config\\.yaml:${index}: `));
    expect(reading).toThrow(words);
  });

  it("two files in one folder, a folder with its name, excessive aliases", () => {
    configure("port: 1\n");
    configure("{}", "sandbox.config.json");
    expect(() => settingsIn("")).toThrow("Keep one of them.");
    rmSync(join(root, "sandbox.config.json"));
    rmSync(join(root, "sandbox.config.yaml"));
    mkdirSync(join(root, "sandbox.config.yaml"));
    expect(() => settingsIn("")).toThrow("is a folder, not a regular file.");
    rmSync(join(root, "sandbox.config.yaml"), { recursive: true });
    const ten = (name: string) => `[${Array(10).fill(`*${name}`)}]`;
    configure(`port: 1\nassume: [&a [x], &b ${ten("a")}, &c ${ten("b")}, &d ${ten("c")}]\n`);
    expect(() => settingsIn("")).toThrow(/sandbox\.config\.yaml/);
  });
});

it("The editor schema accepts valid options, and rejects misspelt and malformed ones", () => {
  const schema = JSON.parse(readFileSync("spec/config.schema.json", "utf8")) as object;
  const fits = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { uri: true } }).compile(schema);
  expect(fits(parse(WHOLE)), JSON.stringify(fits.errors)).toBe(true);
  for (const wrong of ["fixtur: empty", "port: 65536", "fresh: 1", "maturity: prod", "rate-limit: 60", "json: true"])
    expect([wrong, fits(parse(wrong))]).toEqual([wrong, false]);
});

describe("An error found at the start is reported with its position too:", () => {
  const shipped = "Known: empty, harbour-tours. For a folder of your own write ./nope";
  it.each([
    ["fixture: nope", `fixture: nope: there is no fixture of this name. ${shipped}`],
    ["assume: { nope: 1 }", "assume: There is no assumption nope. `sandbox assume` lists them."],
    ["assume: { signature-text: v9 }", "assume: The assumption signature-text can't be v9. It takes: bare, v1."],
  ])("%s", async (text, words) => {
    configure(`port: 0\n${text}\n`);
    for (const command of [
      ["start", "--memory"],
      ["exec", "true"],
    ]) {
      const { code, stdout, stderr } = await run(command, {}, root);
      expect([code, stdout, stderr.split("\n")[0]]).toEqual([2, "", `sandbox.config.yaml:2:1: ${words}`]);
    }
  });
});

describe("The command line", () => {
  it("exec reads sandbox options from the file except those of persistent data", async () => {
    configure("port: 1\ndata: world.json\nfixture: empty\nquiet: true\n");
    const { code, stdout } = await run(["exec", "--json", "true"], {}, join(root, "src"));
    expect([code, JSON.parse(stdout).fixture]).toEqual([0, "empty"]);
  });
});
