// `sandbox mcp`: the official client on the stdin and stdout of the built command, with a running sandbox and without one.
import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { bin, folder, type Started, startSandboxCommand } from "../cli/run-sandbox.ts";
import { freePort } from "../free-port.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Connected, listWorlds, onStdio } from "./mcp-kit.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close().catch(() => undefined);
});

async function model(args: readonly string[], message: string[] = [], cwd = folder): Promise<Connected> {
  const connected = await onStdio([process.execPath, bin, "mcp", ...args], cwd, (text) => message.push(text));
  open.push(connected);
  return connected;
}

async function started(port = "0"): Promise<{ url: string; running: Started }> {
  const running = startSandboxCommand(["start", "--memory", "--json", "--port", port]);
  open.push({ close: async () => void running.child.kill("SIGKILL") });
  const { url } = JSON.parse((await running.shows("\n")).split("\n")[0] ?? "") as { url: string };
  return { url, running };
}

/** Somebody's sandbox at the usual address would be taken. */
const taken = await fetch("http://127.0.0.1:4010/healthz").then(
  () => true,
  () => false,
);

/** Pipes lines into the command; its exit code, and what it wrote. */
function pipeInto(url: string, input: string) {
  const options = { cwd: folder, input, encoding: "utf8", timeout: 60_000 } as const;
  const { status, stdout } = spawnSync(process.execPath, [bin, "mcp", "--url", url], options);
  const lines = stdout.trim().split("\n");
  return { status, responses: lines.map((line) => JSON.parse(line)) };
}

describe("sandbox mcp", () => {
  it("serves the tools of a running sandbox, in a world that is deleted with the client", async () => {
    const { url } = await started();
    const [one, two] = await Promise.all([model(["--url", url]), model(["--url", url])]);
    expect(await one.world()).not.toBe(await two.world());
    expect((await one.call("act", { act: "cancelBooking", input: { booking_id: "bkg-evening" } })).failed).toBe(false);
    expect((await two.call("act", { act: "cancelBooking", input: { booking_id: "bkg-evening" } })).failed).toBe(false);
    expect(await listWorlds(url)).toHaveLength(3);
    await one.client.close();
    await two.client.close();
    await expect.poll(() => listWorlds(url), { timeout: 10_000 }).toEqual(["default"]);
  });

  it("uses a named world", async () => {
    const { url } = await started();
    expect(await (await model(["--url", url, "--world", "default"])).world()).toBe("default");
    const wrong = await runHere(["mcp", "--url", url, "--world", "nope"]);
    expect([wrong.code, wrong.stdout, wrong.stderr]).toEqual([
      1,
      "",
      expect.stringContaining("There is no world nope"),
    ]);
  });

  it.skipIf(taken)("starts a separate sandbox if none is named, recorded or running", async () => {
    const message: string[] = [];
    const own = await model([], message, makeTempFolder());
    expect((await own.call("overview")).text).toContain("World: mcp-");
    expect(message.join("")).toMatch(
      /^No sandbox is running at .*\. Started one in memory at http:\/\/127\.0\.0\.1:\d+/m,
    );
  });

  it("reports an unreachable named sandbox", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await runHere(["mcp", "--url", url]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`No sandbox responds at ${url} `);
    expect((await runHere(["mcp", "--url", "nonsense"])).code).toBe(2);
  });

  it("continues after a restart of the sandbox, and reports the new world", async () => {
    const first = await started();
    const port = new URL(first.url).port;
    const connected = await model(["--url", first.url]);
    const former = await connected.world();
    first.running.child.kill("SIGKILL");
    await first.running.ended;
    const down = await connected.call("clock");
    expect(down).toEqual({ text: expect.stringContaining("Start it again with `sandbox start`"), failed: true });
    await started(port);
    const { text, failed } = await connected.call("clock");
    expect(failed).toBe(false);
    expect(text).toMatch(/^The sandbox was restarted, so you have a new world: .*\n\nIt is /);
    expect((await connected.call("clock")).text).toMatch(/^It is /);
    expect(await connected.world()).not.toBe(former);
  });

  it("responds to all piped messages, and leaves no world", async () => {
    const { url } = await started();
    const clientInfo = { name: "tests", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const lines = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "clock", arguments: {} } },
    ];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const { status, responses } = pipeInto(url, input);
    expect([status, responses.map(({ id }) => id)]).toEqual([0, [1, 2]]);
    expect(responses[1].result.content[0].text).toMatch(/^It is /);
    expect(await listWorlds(url)).toEqual(["default"]);
  });

  it("responds with an error to a line that is invalid or too long, and exits with its input", async () => {
    const { url } = await started();
    const MIB = 1024 * 1024;
    const ping = (id: number, padding = "") =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "ping", params: { padding } });
    const lines = [
      "not JSON",
      "",
      "[]",
      '{"jsonrpc":"1.0","id":7,"method":"ping"}',
      '{"jsonrpc":"2.0","id":"eight","method":5}',
      "null",
      ping(1, "x".repeat(20 * MIB)),
      ping(2, "x".repeat(4 * MIB)),
      "x".repeat(9 * MIB),
      // The last line has no line feed.
      ping(3),
    ];
    const { status, responses } = pipeInto(url, lines.join("\n"));
    expect(status).toBe(0);
    expect(responses.slice(0, -1).map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [7, -32600],
      ["eight", -32600],
      [null, -32600],
      [null, -32700],
      [null, -32700],
      [null, -32700],
    ]);
    expect(responses.at(-1)?.id).toBe(3);
    expect(responses.map(({ error }) => error?.message)).toContain("The line is longer than 4194304 bytes.");
    expect(await listWorlds(url)).toEqual(["default"]);
  });

  it("writes only the protocol to stdout, and exits on a signal", async () => {
    const { url } = await started();
    const running = startSandboxCommand(["mcp", "--url", url]);
    running.child.kill("SIGTERM");
    const { stdout } = await running.ended;
    expect(stdout).toBe("");
    await expect.poll(() => listWorlds(url)).toEqual(["default"]);
  });
});
