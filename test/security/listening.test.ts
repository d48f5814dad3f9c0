// Nothing listens on another address than the loopback's unless it is asked to: not the server, not the receiver of `listen`, not that
// of a story, not the library. Reads the kernel's tables, so only where there are some.
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startProgram, startSandboxCommand } from "../cli/run-sandbox.ts";

const CLOCK = ["--clock", "2030-06-01T09:00:00Z"];
const LISTENING = "0A";
const LOOPBACK = /^(0100007F|00000000000000000000000001000000):/;

/** The addresses, as the kernel writes them, on which a process listens. */
function addressesOf(pid: number): string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      } catch {
        return undefined;
      }
    }),
  );
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .map((row) => row.trim().split(/\s+/))
      .filter(([, , , state, , , , , , socket]) => state === LISTENING && sockets.has(socket))
      .map(([, address = ""]) => address),
  );
}

const hasTables = existsSync("/proc/self/net/tcp");

describe.runIf(hasTables)("Listening on the loopback address only:", () => {
  let server: ReturnType<typeof startSandboxCommand>;
  let url: string;
  beforeAll(async () => {
    server = startSandboxCommand(["start", "--memory", "--port", "0", "--json", ...CLOCK]);
    url = JSON.parse(await server.shows("}\n")).url;
  });
  afterAll(async () => {
    await server.stop();
  });

  const mustBeLoopback = (pid: number | undefined) => {
    const addresses = addressesOf(pid ?? 0);
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.filter((address) => !LOOPBACK.test(address))).toEqual([]);
  };

  it("start", () => mustBeLoopback(server.child.pid));

  it("listen", async () => {
    const listening = startSandboxCommand(["listen", "--url", url]);
    await listening.shows(/listening|http:/i);
    mustBeLoopback(listening.child.pid);
    await listening.stop();
  });

  it("the library", async () => {
    const library = JSON.stringify(`${process.cwd()}/dist/index.cjs`);
    // A sandbox of the library does not keep its process alive.
    const program = `setInterval(() => {}, 1000); require(${library}).startSandbox().then(({ url }) => console.log("at " + url))`;
    const using = startProgram(process.execPath, ["-e", program]);
    await using.shows("at http://127.0.0.1:");
    mustBeLoopback(using.child.pid);
    await using.stop();
  });

  it("but all addresses with --host 0.0.0.0", async () => {
    const open = startSandboxCommand(["start", "--memory", "--port", "0", "--host", "0.0.0.0", "--json", ...CLOCK]);
    await open.shows("}\n");
    expect(addressesOf(open.child.pid ?? 0).filter((address) => !LOOPBACK.test(address))).toHaveLength(1);
    await open.stop();
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1"));

it.runIf(hasIpv6)("--host accepts an IPv6 address with and without brackets", async () => {
  for (const host of ["[::1]", "::1"]) {
    const server = startSandboxCommand(["start", "--memory", "--port", "0", "--json", "--host", host, ...CLOCK]);
    const { url } = JSON.parse(await server.shows("}\n")) as { url: string };
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await server.stop();
  }
});
