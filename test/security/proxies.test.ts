// A reverse proxy or a tunnel on this machine connects over loopback, so its clients may be anywhere. They must not reach the control API.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request as forward } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientOptions } from "../../src/cli/command.ts";
import { findSandbox } from "../../src/cli/find-sandbox.ts";
import { readOptions } from "../../src/cli/options.ts";
import { startSandbox } from "../../src/index.ts";
import { run, startSandboxCommand } from "../cli/run-sandbox.ts";
import { raw, rawRequest } from "../engine/http/http-kit.ts";
import { freePort } from "../free-port.ts";
import { type LocalServer, startLocalServer } from "../local-server.ts";
import { openSandbox, type TestSandbox } from "../sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";

const TOKEN = "a-token-that-was-chosen";
const BEARER = { authorization: `Bearer ${TOKEN}` };

/** One path of each part of the control API. */
const PATHS = [
  "GET /_sandbox",
  "GET /_sandbox/state",
  "GET /_sandbox/worlds/default/credentials",
  "GET /_sandbox/openapi.json",
  "GET /_sandbox/log",
  "GET /_sandbox/stream",
  "GET /_sandbox/metrics",
  "POST /_sandbox/mcp",
  "POST /_sandbox/relay",
  "POST /_sandbox/state/reset",
];

let open: TestSandbox;
let locked: TestSandbox;
beforeAll(async () => {
  [open, locked] = await Promise.all([
    openSandbox({ fixture: "empty" }),
    openSandbox({ fixture: "empty", controlToken: TOKEN }),
  ]);
});
afterAll(() => Promise.all([open.close(), locked.close()]));

/** The state without what a reset changes by itself. */
const revisionOf = async (sandbox: TestSandbox) =>
  (await rawRequest(sandbox.url, "GET /_sandbox", BEARER)).body.history?.latest;

describe("Without a configured token, the control API rejects", () => {
  it.each([
    ["forwarded", "for=203.0.113.7"],
    ["x-forwarded-for", "203.0.113.7"],
    ["x-forwarded-host", "sandbox.example"],
    ["x-forwarded-proto", "https"],
    ["X-Forwarded-Server", "proxy"],
    ["x-real-ip", "203.0.113.7"],
    ["via", "1.1 proxy"],
    ["cf-connecting-ip", "203.0.113.7"],
    ["CF-Ray", "8a1b2c3d4e5f6789-CPH"],
  ])("a request with the header %s", async (name, value) => {
    const before = await revisionOf(open);
    for (const line of [...PATHS, "POST /_sandbox/proof"]) {
      const answer = await rawRequest(open.url, line, { [name]: value });
      expect([line, answer.status, answer.body.message]).toEqual([
        line,
        403,
        `This request came through a proxy: it has the header ${name.toLowerCase()}. Behind a proxy the control API needs a token: start the sandbox with \`--control-token <token>\`, and send \`Authorization: Bearer <token>\`.`,
      ]);
    }
    expect(await revisionOf(open)).toEqual(before);
  });

  it("a request over HTTP/1.0", async () => {
    for (const line of PATHS) {
      const answer = await raw(open.url, `${line} HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n`);
      expect([line, answer.status, answer.body.message]).toEqual([line, 403, expect.stringContaining("HTTP/1.0")]);
    }
  });

  it("but neither the service nor its documents", async () => {
    for (const path of ["/healthz", "/openapi.json"]) {
      expect((await rawRequest(open.url, `GET ${path}`, { "x-forwarded-for": "203.0.113.7" })).status).toBe(200);
      expect((await raw(open.url, `GET ${path} HTTP/1.0\r\n\r\n`)).status).toBe(200);
    }
  });

  it("but no request with the token that it has generated", async () => {
    const authorization = `Bearer ${open.running.application.controlToken}`;
    expect((await rawRequest(open.url, "GET /_sandbox", { authorization, via: "1.1 proxy" })).status).toBe(200);
    expect((await rawRequest(open.url, "GET /_sandbox", { ...BEARER, via: "1.1 proxy" })).status).toBe(403);
  });
});

describe("A configured token", () => {
  it.each(PATHS)("is required on loopback too: %s", async (line) => {
    for (const headers of [{}, { authorization: "Bearer wrong" }, { "sec-fetch-site": "none" }] as const) {
      const answer = await rawRequest(locked.url, line, headers);
      expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="sandbox control"']);
    }
  });

  it("opens the control API through a proxy, by the name of the proxy", async () => {
    const headers = { ...BEARER, host: "sandbox.example", "x-forwarded-for": "203.0.113.7" };
    expect((await rawRequest(locked.url, "GET /_sandbox", headers)).status).toBe(200);
    expect((await rawRequest(locked.url, "GET /_sandbox", { ...headers, origin: "https://evil.example" })).status).toBe(
      403,
    );
  });

  it("signs a browser on this machine in", async () => {
    const body = JSON.stringify({ token: TOKEN });
    const headers = { "content-type": "application/json", "content-length": `${body.length}`, origin: locked.url };
    const answer = await rawRequest(locked.url, "POST /_sandbox/session", headers, body);
    const cookie = answer.headers["set-cookie"]?.split(";")[0] ?? "";
    expect([answer.status, (await rawRequest(locked.url, "GET /_sandbox", { cookie })).status]).toEqual([204, 200]);
  });

  it("is used by the library", async () => {
    await using sandbox = await startSandbox({ fixture: "empty", controlToken: TOKEN });
    expect((await fetch(sandbox.controlUrl)).status).toBe(401);
    const world = await sandbox.world();
    await world.clock.advance("PT1H");
    await using beside = await startSandbox({ fixture: "empty", url: sandbox.url, controlToken: TOKEN });
    expect(await beside.clock.now()).toBeDefined();
  });

  it("is found by the commands of the folder, and is not readable by other users", async () => {
    const folder = makeTempFolder();
    const started = startSandboxCommand(
      ["start", "--port", "0", "--json", "--memory", "--fixture", "empty", "--control-token", TOKEN],
      {},
      folder,
    );
    try {
      const { url } = JSON.parse(await started.shows(/\n/));
      const found = await run(["world", "reset"], {}, folder);
      expect([found.code, found.stderr]).toEqual([0, expect.stringContaining(url)]);
      expect((await run(["world", "reset", "--url", url], {}, folder)).stderr).toContain("SANDBOX_CONTROL_TOKEN");
      expect((await run(["world", "reset", "--url", url], { SANDBOX_CONTROL_TOKEN: TOKEN }, folder)).code).toBe(0);
      const { mode } = statSync(join(folder, ".sandbox", "server.json"));
      expect(mode & 0o077).toBe(0);
      // A token in the environment that is for another sandbox stays here, and the one of the file is used.
      const environment = { SANDBOX_CONTROL_TOKEN: "of-another" };
      const other = await findSandbox(readOptions(clientOptions, {}, environment), environment, { folder });
      expect(other).toMatchObject({
        token: TOKEN,
        notes: expect.arrayContaining([expect.stringContaining("is not sent")]),
      });
    } finally {
      await started.stop();
    }
  });

  it("is passed to the command of exec", async () => {
    const ask =
      "fetch(process.env.SANDBOX_CONTROL_URL, { headers: { authorization: 'Bearer ' + process.env.SANDBOX_CONTROL_TOKEN } }).then((r) => console.log(r.status))";
    const words = ["exec", "--option", `control-token=${TOKEN}`, "--fixture", "empty", "--"];
    const { stdout } = await run([...words, process.execPath, "-e", ask]);
    expect(stdout).toContain("200");
  });
});

/** As `changeOrigin` of a development server does: nothing shows that the request was forwarded. */
function startSilentProxy(target: string): Promise<LocalServer> {
  const { hostname, port } = new URL(target);
  return startLocalServer((request, response) => {
    const headers = { ...request.headers, host: `${hostname}:${port}` };
    const sent = forward({ hostname, port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(sent);
  });
}

it("A proxy that can't be recognized reaches a sandbox with a token only with that token", async () => {
  const { url, close } = await startSilentProxy(locked.url);
  for (const line of PATHS) expect((await rawRequest(url, line, { host: "sandbox.example" })).status).toBe(401);
  expect((await rawRequest(url, "GET /_sandbox", { ...BEARER, host: "sandbox.example" })).status).toBe(200);
  close();
});

const NGINX = "/usr/sbin/nginx";
const hasNginx = existsSync(NGINX);
if (!hasNginx) console.error(`!!! ${NGINX} is missing, so the control API behind nginx is not tested`);

describe.runIf(hasNginx)("Behind nginx with default settings", () => {
  let folder: string;
  let end: () => Promise<void>;
  const ports: number[] = [];

  beforeAll(async () => {
    folder = makeTempFolder();
    ports.push(await freePort(), await freePort());
    const servers = [open, locked].map(
      ({ url }, at) => `server { listen 127.0.0.1:${ports[at]}; location / { proxy_pass ${url}; } }`,
    );
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`);
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off; ${paths.join(" ")} ${servers.join(" ")} }`,
    );
    const nginx = spawn(NGINX, ["-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")], {
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => nginx.once("exit", resolve));
    end = async () => {
      nginx.kill();
      await ended;
    };
    for (let tries = 0; tries < 100; tries++) {
      if ((await raw(`http://127.0.0.1:${ports[0]}`, "GET /healthz HTTP/1.0\r\n\r\n")).status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`nginx did not start: ${readFileSync(join(folder, "error.log"), "utf8")}`);
  });
  afterAll(() => end());

  it.each(PATHS)("a stranger gets no access: %s", async (line) => {
    const [first, second] = await Promise.all(
      ports.map((port) => rawRequest(`http://127.0.0.1:${port}`, line, { host: "sandbox.example" })),
    );
    expect([first?.status, first?.body.message]).toEqual([403, expect.stringContaining("--control-token")]);
    expect(second?.status).toBe(401);
  });

  it("the token gives access", async () => {
    expect((await rawRequest(`http://127.0.0.1:${ports[1]}`, "GET /_sandbox", BEARER)).status).toBe(200);
  });
});
