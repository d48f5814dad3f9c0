// A command finds the sandbox that runs in its folder or above. A recorded sandbox that can't be used is an error, and no other address is
// tried.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clientOptions } from "../../src/cli/command.ts";
import { findSandbox, recordSandbox } from "../../src/cli/find-sandbox.ts";
import { type Environment, readOptions, type Typed } from "../../src/cli/options.ts";
import { findProcessStart } from "../../src/platform/process-alive.ts";
import { type LocalServer, startLocalServer } from "../local-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere } from "./in-process.ts";
import { run, startSandboxCommand } from "./run-sandbox.ts";

const BY_DEFAULT = "http://127.0.0.1:4010";
let root: string;
let server: LocalServer;
let url: string;
let status = 200;

beforeAll(async () => {
  server = await startLocalServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end('{"instance":"me"}');
  });
  url = server.url;
});
afterAll(() => server.close());

beforeEach(() => {
  status = 200;
  root = makeTempFolder();
  mkdirSync(join(root, "a", "b"), { recursive: true });
});

/** Writes the file of a folder below the root. */
function names(content: object | string, folder = ""): void {
  mkdirSync(join(root, folder, ".sandbox"), { recursive: true });
  writeFileSync(
    join(root, folder, ".sandbox", "server.json"),
    typeof content === "string" ? content : JSON.stringify({ url, pid: process.pid, instance: "me", ...content }),
  );
}

const found = (environment: Environment = {}, typed: Typed = {}, folder = "a/b") =>
  findSandbox(readOptions(clientOptions, typed, environment), environment, { folder: join(root, folder) });

describe("A command finds its sandbox", () => {
  it("through --url, SANDBOX_URL, SANDBOX_PORT, the file and the default address, in this order", async () => {
    expect(await found()).toEqual({ url: BY_DEFAULT, isDefault: true, notes: [] });
    names({});
    expect(await found()).toMatchObject({ url, isDefault: false });
    expect(await found({ SANDBOX_PORT: "4321" })).toMatchObject({ url: "http://127.0.0.1:4321" });
    expect(await found({ SANDBOX_PORT: "0" })).toMatchObject({ url });
    for (const wrong of ["42O3", "65536", "-1", " "])
      await expect(found({ SANDBOX_PORT: wrong })).rejects.toThrow(`SANDBOX_PORT is ${wrong}, which is not a port.`);
    expect(await found({ SANDBOX_PORT: "x" }, { url: ["http://y.test"] })).toMatchObject({ url: "http://y.test" });
    expect(await found({ SANDBOX_PORT: "4321", SANDBOX_URL: "http://x.test" })).toMatchObject({ url: "http://x.test" });
    expect(await found({ SANDBOX_URL: "http://x.test" }, { url: ["http://y.test"] })).toEqual({
      url: "http://y.test",
      isDefault: false,
      notes: [],
    });
  });

  it("in the nearest folder first", async () => {
    names({ url: "http://127.0.0.1:1" });
    names({}, "a");
    expect(await found()).toMatchObject({ url });
  });

  it("and reports which one it uses if there was a choice", async () => {
    names({});
    expect(await found()).toMatchObject({ notes: [expect.stringContaining(`Using the sandbox at ${url}, from `)] });
    expect(await found({ SANDBOX_URL: "http://x.test" })).toMatchObject({ notes: [] });
  });
});

describe("A recorded sandbox that can't be used is an error, and no other address is tried:", () => {
  it.each([
    ["one whose port is free", { url: "http://127.0.0.1:1", pid: 2 ** 22 + 1 }, "which has ended. Start it again"],
    ["one whose process id is reused", { url: "http://127.0.0.1:1", start: "1" }, "which has ended. Start it again"],
    ["one that is ending", { url: "http://127.0.0.1:1" }, `or end process ${process.pid}`],
    ["one whose port another sandbox has", { instance: "you" }, "which has ended; another program has its port"],
    ["one of another machine", { url: "http://10.0.0.1:4010" }, "no address of this machine's loopback"],
    ["a file that holds something else", '{"url": 7}', "does not name a sandbox"],
    ["a file that is null", "null", "does not name a sandbox"],
    ["a file that is cut", '{"url": "http', "does not name a sandbox"],
  ])("%s", async (_, content, words) => {
    names(content, "a");
    // The nearest file decides, also where a sandbox runs in a folder above.
    names({});
    await expect(found()).rejects.toThrow(words);
  });

  it("a file that can't be read", async () => {
    mkdirSync(join(root, "a", ".sandbox", "server.json"), { recursive: true });
    await expect(found()).rejects.toThrow("does not name a sandbox");
  });

  it.each([401, 403])("a response %i without a proof", async (refusal) => {
    names({});
    status = refusal;
    await expect(found()).rejects.toThrow("another program");
  });
});

it("A recorded sandbox is used even if its process is not visible, because it may run in a container", async () => {
  names({ pid: 2 ** 22 + 1 });
  expect(await found()).toMatchObject({ url });
});

it("A start next to a running sandbox keeps its file, and replaces a stale one", async () => {
  names({});
  const data = join(root, "other.json");
  const mine = { url: "http://127.0.0.1:5", pid: process.pid, instance: "new" };
  expect(await recordSandbox(data, mine)).toEqual([
    `Another sandbox runs here at ${url}, and commands find that one. Commands find this one with --url http://127.0.0.1:5.`,
  ]);
  names({ instance: "you" });
  expect(await recordSandbox(data, mine)).toEqual([]);
  expect(readdirSync(join(root, ".sandbox"))).toEqual(["server.json"]);
  expect(JSON.parse(readFileSync(join(root, ".sandbox", "server.json"), "utf8"))).toEqual(mine);
});

it("A start in a read-only folder explains how to find it", async () => {
  writeFileSync(join(root, ".sandbox"), "");
  const [words] = await recordSandbox(join(root, "w.json"), { url, pid: 1, instance: "new" });
  expect(words).toMatch(/server\.json can't be written \(.*\)\. Commands find this one with --url/);
});

describe("start", () => {
  it.each([
    ["SIGTERM", ["--memory"], 0],
    ["SIGINT", [], 0],
    ["SIGHUP", ["--data", "world.json"], 0],
  ] as const)("is found from subfolders, and no longer after %s", async (signal, options, code) => {
    const started = startSandboxCommand(["start", "--port", "0", "--json", ...options], {}, root);
    const { url: own, pid } = JSON.parse(await started.shows(/\n/));
    const file = join(root, ".sandbox", "server.json");
    await expect.poll(() => existsSync(file)).toBe(true);
    const start = findProcessStart(pid);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      url: own,
      pid,
      instance: expect.any(String),
      ...(start === undefined ? {} : { start }),
    });
    expect(await found()).toMatchObject({ url: own, notes: [`Using the sandbox at ${own}, from ${file}.`] });
    expect((await started.stop(signal)).code).toBe(code);
    expect(existsSync(file)).toBe(false);
  });

  it("that was killed leaves a file that commands report until the next start replaces it", async () => {
    const first = startSandboxCommand(["start", "--port", "0", "--json"], {}, root);
    const { url: old } = JSON.parse(await first.shows(/\n/));
    await first.stop("SIGKILL");
    const { code, stderr } = await runHere(["wait", "--timeout", "0.2", "--url", old]);
    expect({ code, stderr }).toMatchObject({ code: 1 });
    const ended = `.sandbox/server.json records the sandbox at ${old} (process ${first.child.pid}), which has ended. Start it again`;
    expect(await run(["env"], {}, root)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(ended) });
    expect(await run(["wait", "--timeout", "0.2"], {}, root)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`No sandbox was ready within 0.2 s. ${ended}`),
    });
    // It waits for the next start, whose file replaces the old one.
    const ready = run(["wait"], {}, root);
    const second = startSandboxCommand(["start", "--port", "0", "--json"], {}, root);
    const { url: own } = JSON.parse(await second.shows(/\n/));
    expect((await ready).stdout).toBe(`${own} is ready.\n`);
    await second.stop();
  });
});
