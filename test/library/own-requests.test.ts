// The sandbox's own requests to this machine: no proxy of the environment gets them, and no test that intercepts requests. With
// `NODE_USE_ENV_PROXY` all commands and the library failed on Node 22.21 and 24; beside nock and MSW every call of the library did.
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folder, type Run, run, type Started, shell, startProgram, startSandboxCommand } from "../cli/run-sandbox.ts";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const INTERCEPTING = { NODE_OPTIONS: `--import ${pathToFileURL(path("intercepting.mjs")).href}` };

/** What a proxy was asked for. */
const proxied: string[] = [];
const proxy = createServer((request, response) => {
  proxied.push(request.url ?? "");
  response.writeHead(502).end();
}).on("connect", (request, socket) => {
  proxied.push(request.url ?? "");
  socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
});

let environments: Record<string, Record<string, string>>;
let server: Started;
let url: string;
beforeAll(async () => {
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const withProxy = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: address, HTTPS_PROXY: address, NODE_NO_WARNINGS: "1" };
  environments = { "a proxy": withProxy, interceptors: INTERCEPTING };
  server = startSandboxCommand(["start", "--memory", "--port", "0", "--json"]);
  url = (JSON.parse(await server.shows("\n")) as { url: string }).url;
});
afterAll(() => {
  server?.child.kill("SIGKILL");
  proxy.close();
});

const SCENARIO = `title: A booking is read
rules: ["Bookings: a booking is read by its id"]
steps:
  - { name: read, call: getBooking, with: { bookingId: bkg-evening } }
`;

const ran = ({ code, stderr }: Run) => ({ code, stderr });

describe.each(["a proxy", "interceptors"])("With %s", (which) => {
  it("the library reaches its sandbox, in its own process without a socket, and messages are delivered", async () => {
    const { code, stdout, stderr } = await startProgram(
      process.execPath,
      [path("own-requests.mjs")],
      environments[which],
    ).ended;
    const used = { token: true, cancelled: "bkg-evening" };
    expect({ code, stderr, stdout: stdout && JSON.parse(stdout) }).toEqual({
      code: 0,
      stderr: "",
      stdout: {
        inProcess: used,
        socketsInProcess: 0,
        elsewhere: used,
        delivery: { state: "DELIVERED", isReceived: true },
      },
    });
    expect(proxied).toEqual([]);
  });

  it.each(["wait", "world list", "call getBooking --set bookingId=bkg-evening", "trigger v1.event.created"])(
    "`sandbox %s` reaches the sandbox",
    async (words) => {
      const done = await run(words.split(" "), { ...environments[which], SANDBOX_URL: url });
      expect(done).toMatchObject({ code: 0 });
      expect(proxied).toEqual([]);
    },
  );

  it("`sandbox mcp` passes messages on", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const greeting = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const done = await shell(`echo '${greeting}' | sandbox mcp --url ${url}`, environments[which]);
    expect({ code: done.code, answer: JSON.parse(done.stdout) }).toMatchObject({
      code: 0,
      answer: { id: 1, result: { serverInfo: { name: "experience-sandbox" } } },
    });
    expect(proxied).toEqual([]);
  });

  it("`sandbox play` plays in a separate sandbox", async () => {
    const scenario = join(folder, which.replace(" ", "-"), "own.yaml");
    mkdirSync(join(scenario, ".."), { recursive: true });
    writeFileSync(scenario, SCENARIO);
    expect(ran(await run(["play", scenario], environments[which]))).toEqual({ code: 0, stderr: "" });
    expect(proxied).toEqual([]);
  });
});

it("a sandbox on another machine is reached through the proxy, if Node uses it", async () => {
  const environment = { ...environments["a proxy"], SANDBOX_URL: "http://sandbox.invalid" };
  expect((await run(["world", "list"], environment)).code).toBe(1);
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const usesProxy = major >= 24 || (major === 22 && minor >= 21);
  expect(proxied.some((each) => each.includes("sandbox.invalid"))).toBe(usesProxy);
});
