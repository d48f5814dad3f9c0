// What the console copies runs: curl gets the status of the request that was copied, and the test passes.
import { execFile } from "node:child_process";
import { request as send } from "node:http";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createControl } from "../../src/client/create-control.ts";
import type { ActEntry, RequestEntry } from "../../src/console/entries.ts";
import { formatActCommand, formatCurl, formatTest } from "../../src/console/story/snippets.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { bin } from "../cli/run-sandbox.ts";

let sandbox: Sandbox;
let token = "";
beforeAll(async () => {
  sandbox = await startSandbox({ url: null });
  token = await sandbox.token();
});
afterAll(() => sandbox.close());

interface Sending {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** As the log has it, which is all that the console knows of it. */
async function logged({ method = "GET", path, headers = {}, body }: Sending): Promise<RequestEntry> {
  await new Promise<void>((resolve) => {
    const sending = send(sandbox.url, { method, path, headers }, (response) => response.resume().on("end", resolve));
    sending.on("error", () => resolve());
    sending.end(body);
  });
  return (await latest()) as RequestEntry;
}

async function latest() {
  const { data } = await control().GET("/_sandbox/log", { params: { query: { view: "full" } } });
  return data?.items.findLast(({ kind }) => kind === "request" || kind === "act");
}

const control = () => createControl({ url: sandbox.url });

/** The status that curl gets for what was copied. */
async function curled(entry: RequestEntry): Promise<string> {
  const { clientId, clientSecret } = sandbox.credentials;
  const env = { SANDBOX_URL: sandbox.url, SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: clientSecret };
  const command = `${formatCurl(entry)} -o /dev/null -w '%{http_code}' --max-time 20`;
  const { stdout } = await promisify(execFile)("sh", ["-c", command], {
    env: { ...process.env, ...env, TOKEN: token },
  });
  return stdout;
}

/** Rejects where an assertion of it fails. */
async function tested(entry: RequestEntry): Promise<void> {
  // The test imports a module, which a text that is evaluated can't do here.
  const [, ...lines] = formatTest(entry).split("\n");
  const assert = await import("node:assert/strict");
  const AsyncFunction = (async () => undefined).constructor as new (
    ...words: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction("assert", "world", lines.join("\n"))(assert.default, sandbox);
}

const form = (members: Record<string, string>, headers: Record<string, string> = {}) => ({
  method: "POST",
  path: "/oauth2/token",
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  body: new URLSearchParams({ grant_type: "client_credentials", audience: sandbox.url, ...members }).toString(),
});
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const client = () => ({ client_id: sandbox.credentials.clientId, client_secret: sandbox.credentials.clientSecret });
const post = (body: string, headers: Record<string, string> = { "content-type": "application/json" }) => ({
  method: "POST",
  path: "/v1/bookings",
  headers: { ...bearer(token), ...headers },
  body,
});

it.each<[string, () => Sending]>([
  ["a read", () => ({ path: "/v1/bookings?limit=2&unheard=%5Bof%5D", headers: bearer(token) })],
  ["one without a token", () => ({ path: "/v1/me" })],
  ["one with a token that is no good", () => ({ path: "/v1/me", headers: bearer("stale") })],
  ["a request for a token", () => form(client())],
  ["one for a token, with a wrong secret", () => form({ ...client(), client_secret: "wrong" })],
  ["one for a token, without its kind", () => form({ ...client(), grant_type: "" })],
  [
    "one for a token, with the key in the header",
    () => form({}, { authorization: `Basic ${btoa(Object.values(client()).join(":"))}` }),
  ],
  ["an id that reads like a reference", () => ({ path: `/v1/bookings/\${1+1}`, headers: bearer(token) })],
  ["a body with a reference in it", () => post(JSON.stringify({ event_id: `\${x} \`y\` \\` }))],
  ["a body that names a file", () => post("@/etc/hostname")],
  ["a body without a type", () => post("{}", {})],
  ["HEAD", () => ({ method: "HEAD", path: "/v1/bookings", headers: bearer(token) })],
  ["OPTIONS", () => ({ method: "OPTIONS", path: "/v1/bookings" })],
])("of %s a shell and a test get the same", async (_, sending) => {
  const entry = await logged(sending());
  expect(await curled(entry)).toBe(String(entry.status));
  await tested(entry);
});

it("A lost response and one of a fault are tested with the fault", async () => {
  for (const fault of [{ connection: "empty" as const }, { status: 503, skip: 0, name: "busy" }]) {
    await sandbox.faults.arm({ operation: "getMe", ...fault, times: 1 });
    const entry = await logged({ path: "/v1/me", headers: bearer(token) });
    expect(entry.status).toBe("status" in fault ? 503 : null);
    await tested(entry);
  }
});

it("A command makes the same change, whatever the names of metadata are", async () => {
  for (const metadata of [{ "a=b": "v" }, { "order.ref": "7" }, { "7": "7" }, { "": "7" }, { plain: "'$HOME'" }]) {
    await sandbox.act("updateBooking", { booking_id: "bkg-free", metadata });
    const command = formatActCommand((await latest()) as ActEntry);
    await sandbox.act("updateBooking", { booking_id: "bkg-free", metadata: {} });
    await promisify(execFile)(
      "sh",
      ["-c", command.replace("npx --no-install sandbox", '"$0" "$1"'), process.execPath, bin],
      {
        env: { PATH: process.env.PATH, SANDBOX_URL: sandbox.url },
      },
    );
    const id = "bkg-free";
    const { data } = await control().GET("/_sandbox/records/{collection}/{id}", {
      params: { path: { collection: "bookings", id } },
    });
    expect(data?.record, command).toMatchObject({ metadata });
  }
});
