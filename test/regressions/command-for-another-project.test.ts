// A command used the sandbox at the default address, of another project, because the one of its own project was slow or had ended. Here
// the other project's sandbox is at the default address, and both are processes of their own.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { urlOption } from "../../src/cli/command.ts";
import { type Ran, runHere } from "../cli/in-process.ts";
import { type Started, startSandboxCommand } from "../cli/run-sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";

interface Project {
  folder: string;
  url: string;
  started: Started;
}

const root = makeTempFolder();
const home = process.cwd();
const byDefault = urlOption.default;
const running: Project[] = [];
let other: Project;

async function startProject(name: string): Promise<Project> {
  const folder = join(root, name);
  mkdirSync(folder);
  const started = startSandboxCommand(["start", "--port", "0", "--json", "--clock", "anchor"], {}, folder);
  const { url } = JSON.parse(await started.shows(/\n/)) as { url: string };
  const project = { folder, url, started };
  running.push(project);
  return project;
}

beforeAll(async () => {
  other = await startProject("b");
  urlOption.default = other.url;
});

afterAll(async () => {
  process.chdir(home);
  urlOption.default = byDefault;
  for (const { started } of running) started.child.kill("SIGKILL");
  await Promise.all(running.map(({ started }) => started.ended));
});

function runIn(folder: string, line: string): Promise<Ran> {
  process.chdir(folder);
  return runHere(line.split(" "), { XDG_CONFIG_HOME: root, APPDATA: root });
}

async function changesOf({ url }: Project): Promise<unknown> {
  return (await fetch(`${url}/_sandbox/history`)).json();
}

/** Each of them would have changed, or read, the world of the other project. */
const LINES = ["world reset", "clock advance PT1H", "fault add any --status 503", "env", "mcp", "clock --json"];

describe("If the project's own sandbox can't be used, a command fails, and the other project's world is unchanged:", () => {
  // Windows has no signal that stops a process for a time.
  it.skipIf(process.platform === "win32")("it is busy", { timeout: 60_000 }, async () => {
    const own = await startProject("busy");
    const { pid } = own.started.child;
    const before = await changesOf(other);
    own.started.child.kill("SIGSTOP");
    const begun = performance.now();
    const results = await Promise.all(LINES.map((line) => runIn(own.folder, line)));
    expect(performance.now() - begun).toBeGreaterThan(9_900);
    const problem = `.sandbox/server.json records the sandbox at ${own.url} (process ${pid}), whose process runs but does not respond. Wait until it is less busy or has ended, or end process ${pid}. Start it again with \`sandbox start\`, delete the file, or name another sandbox with --url.`;
    for (const { code, stderr } of results) expect({ code, stderr }).toEqual({ code: 1, stderr: `${problem}\n` });
    expect(JSON.parse(results.at(-1)?.stdout ?? "")).toEqual({
      error: { code: "SANDBOX_UNREACHABLE", message: problem },
    });
    expect(await changesOf(other)).toEqual(before);
    // A short stop is waited for.
    const reset = runIn(own.folder, "world reset");
    own.started.child.kill("SIGCONT");
    expect(await reset).toMatchObject({
      code: 0,
      stderr: `Using the sandbox at ${own.url}, from .sandbox/server.json.\nTarget: world default at ${own.url}, project ${own.folder}\n`,
    });
    expect(await changesOf(other)).toEqual(before);
  });

  it("it has ended", async () => {
    const own = await startProject("ended");
    const before = await changesOf(other);
    own.started.child.kill("SIGKILL");
    await own.started.ended;
    for (const line of LINES)
      expect(await runIn(own.folder, line)).toMatchObject({
        code: 1,
        stderr: `.sandbox/server.json records the sandbox at ${own.url} (process ${own.started.child.pid}), which has ended. Start it again with \`sandbox start\`, delete the file, or name another sandbox with --url.\n`,
      });
    expect(await changesOf(other)).toEqual(before);
  });
});

it("The default address is used if nothing is recorded, and a change reports it", async () => {
  const folder = join(root, "none");
  mkdirSync(folder);
  expect(await runIn(folder, "clock")).toMatchObject({ code: 0, stderr: "" });
  expect(await runIn(folder, "clock advance PT1H")).toMatchObject({
    code: 0,
    stderr: `Target: world default at ${other.url}, the default address (no sandbox is recorded for ${folder})\n`,
  });
});

const CHANGES = ["trigger v1.booking.created", "assume signature-text=v1", "call createToken", "world create w-1"];

it("A command that changes or deletes something reports address, project and world, but not with --json", async () => {
  for (const line of CHANGES) {
    const subject = line.startsWith("world") ? "the sandbox" : "world default";
    const { stderr } = await runIn(other.folder, line);
    expect(stderr).toContain(`Target: ${subject} at ${other.url}, project ${other.folder}\n`);
  }
  const inWorld = await runIn(other.folder, "world reset --world w-1");
  expect(inWorld.stderr).toContain(`Target: world w-1 at ${other.url}, project ${other.folder}\n`);
  expect((await runIn(other.folder, "world reset --json")).stderr).not.toContain("Target");
  expect((await runIn(other.folder, "world remove w-1")).stderr).toContain("Target: world w-1 at");
  // What was rejected has changed nothing.
  expect((await runIn(other.folder, "world remove w-1")).stderr).not.toContain("Target");
  expect((await runIn(other.folder, "act --list")).stderr).not.toContain("Target");
});
