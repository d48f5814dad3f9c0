// experience-sandbox/redirect, as built (dist/redirect.cjs): a program that knows only the service's own address reaches the sandbox.
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/index.ts";

const preload = resolve("dist/redirect.cjs");
const client = fileURLToPath(new URL("client.mjs", import.meta.url));

let sandbox: Sandbox;
const other = createServer((_request, response) => void response.writeHead(418).end());
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
  await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  other.close();
  await sandbox.close();
});

async function run(environment: Record<string, string>) {
  const { port } = other.address() as { port: number };
  const env = {
    PATH: process.env.PATH,
    SANDBOX_URL: sandbox.url,
    ELSEWHERE: `http://127.0.0.1:${port}`,
    ...environment,
  };
  return promisify(execFile)(process.execPath, ["--import", preload, client], { env });
}

it("sends every kind of request for the origins in SANDBOX_REDIRECT to the sandbox, and no other", async () => {
  const { stdout, stderr } = await run({
    SANDBOX_REDIRECT: "https://api.example.com/v1, http://api.example.com:8080",
  });
  const { "another origin": another, "fetch of a Request": token, ...others } = JSON.parse(stdout);
  expect(stderr).toBe("");
  expect(another).toBe(418);
  expect(token).toBe(400);
  expect(new Set(Object.values(others))).toEqual(new Set([401]));
  expect(await sandbox.requests({ status: 401 })).toHaveLength(8);
});

it("sends them below the path where an app mounts the sandbox", async () => {
  const paths: string[] = [];
  const app = createServer((request, response) => {
    paths.push(request.url ?? "");
    response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => void app.listen(0, "127.0.0.1", resolve));
  const { port } = app.address() as AddressInfo;
  await run({
    SANDBOX_REDIRECT: "https://api.example.com, http://api.example.com:8080",
    SANDBOX_URL: `http://127.0.0.1:${port}/their/sandbox/`,
  });
  app.close();
  expect(paths).toHaveLength(9);
  expect(paths.filter((path) => !/^\/their\/sandbox\/(v1|oauth2)\//.test(path))).toEqual([]);
});

it.each([
  ["no origin", {}, "SANDBOX_REDIRECT names no origin to redirect."],
  ["an empty list", { SANDBOX_REDIRECT: " , " }, "SANDBOX_REDIRECT names no origin to redirect."],
  ["a name", { SANDBOX_REDIRECT: "api" }, 'SANDBOX_REDIRECT holds "api", which is not an http or https address.'],
  [
    "a sandbox that is no address",
    { SANDBOX_REDIRECT: "https://api.example.com", SANDBOX_URL: "4010" },
    'SANDBOX_URL holds "4010", which is not an http or https address.',
  ],
])("does not run the program with %s", async (_what, environment, sentence) => {
  const ended = await run(environment).catch((error) => error);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toContain(sentence);
});
