// What the console copies runs: curl gets the status of the request that was copied, the test passes, and the steps play.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ownFolders, startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { createControl } from "../../src/client/create-control.ts";
import type { ActEntry, RequestEntry } from "../../src/console/entries.ts";
import { formatActCommand, formatCurl, formatTest } from "../../src/console/story/snippets.ts";
import { formatActStep, formatRequestStep } from "../../src/console/story/steps.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { playCommand } from "../../src/stories/scenario/index.ts";
import { bin } from "../cli/run-sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "copied-"));
let sandbox: Sandbox;
let token = "";
beforeAll(async () => {
  sandbox = await startSandbox({ url: null });
  token = await sandbox.token();
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

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

async function played(steps: string): Promise<string> {
  const file = join(folder, "copied.yaml");
  writeFileSync(file, `title: Copied\nfixture: harbour-tours\nclock: "2030-06-01T09:00:00Z"\nsteps:\n${steps}`);
  const text: string[] = [];
  const say = (words: string) => void text.push(words);
  const code = await playCommand([file], {
    start: startOwnSandbox,
    folders: ownFolders,
    write: say,
    reportComplaint: say,
  });
  return code === 0 ? "" : text.join("");
}

const operations = async () => (await control().GET("/_sandbox/operations")).data?.items ?? [];

async function step(entry: RequestEntry): Promise<string> {
  const template = (await operations()).find(({ operation_id }) => operation_id === entry.operation);
  return formatRequestStep(entry, template) ?? "";
}

const form = (members: Record<string, string>) => ({
  method: "POST",
  path: "/oauth2/token",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(members).toString(),
});
const json = { "content-type": "application/json" };

const SENDINGS: Record<string, () => Sending> = {
  "a read": () => ({ path: "/v1/bookings?limit=2&unheard=%5Bof%5D", headers: bearer(token) }),
  "one without a token": () => ({ path: "/v1/me" }),
  "one with a token that is no good": () => ({ path: "/v1/me", headers: bearer("stale") }),
  "a request for a token": () => form({ grant_type: "client_credentials", audience: sandbox.url, ...client() }),
  "one for a token, with a wrong secret": () =>
    form({ grant_type: "client_credentials", audience: sandbox.url, ...client(), client_secret: "wrong" }),
  "one for a token, without its kind": () => form({ audience: sandbox.url, ...client() }),
  "an id that reads like a reference": () => ({ path: `/v1/bookings/\${1+1}`, headers: bearer(token) }),
  "a body with a reference in it": () => ({
    method: "POST",
    path: "/v1/bookings",
    headers: { ...bearer(token), ...json },
    body: JSON.stringify({ event_id: `\${x} \`y\` \\` }),
  }),
};
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const client = () => ({ client_id: sandbox.credentials.clientId, client_secret: sandbox.credentials.clientSecret });

it.each(Object.keys(SENDINGS))("%s", async (name) => {
  const entry = await logged((SENDINGS[name] as () => Sending)());
  expect(await curled(entry)).toBe(String(entry.status));
  await tested(entry);
  expect(await played(await step(entry))).toBe("");
});

it.each<[string, () => Sending]>([
  ["HEAD", () => ({ method: "HEAD", path: "/v1/bookings", headers: bearer(token) })],
  ["OPTIONS", () => ({ method: "OPTIONS", path: "/v1/bookings" })],
  [
    "a body that names a file",
    () => ({ method: "POST", path: "/v1/bookings", headers: { ...bearer(token), ...json }, body: "@/etc/hostname" }),
  ],
  ["a body without a type", () => ({ method: "POST", path: "/v1/bookings", headers: bearer(token), body: "{}" })],
  [
    "a key in the header",
    () => ({
      ...form({ grant_type: "client_credentials", audience: sandbox.url }),
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        authorization: `Basic ${btoa(Object.values(client()).join(":"))}`,
      },
    }),
  ],
])("of %s a shell and a test get the same", async (_, sending) => {
  const entry = await logged(sending());
  expect(await curled(entry)).toBe(String(entry.status));
  await tested(entry);
});

it("A lost response and one of a fault are exported with the fault", async () => {
  for (const fault of [{ connection: "empty" as const }, { status: 503, skip: 0, name: "busy" }]) {
    await sandbox.faults.arm({ operation: "getMe", ...fault, times: 1 });
    const entry = await logged({ path: "/v1/me", headers: bearer(token) });
    expect(entry.status).toBe("status" in fault ? 503 : null);
    await tested(entry);
    expect(await played(await step(entry))).toBe("");
  }
});

it("Acts and triggers play, both successful and rejected", async () => {
  const steps: string[] = [];
  const add = async (work: Promise<unknown>) => {
    await work.catch(() => undefined);
    steps.push(formatActStep((await latest()) as ActEntry));
  };
  await add(sandbox.act("cancelBooking", { booking_id: "bkg-evening" }));
  // The same once more: two steps of one name would be refused.
  await add(sandbox.act("deleteExperience", {} as never));
  await add(sandbox.act("cancelEvent", { event_id: `\${none}` }));
  await add(sandbox.act("deleteExperience", {} as never));
  await add(control().POST("/_sandbox/trigger", { body: { kind: "v1.booking.created" } }));
  expect(await played(steps.join(""))).toBe("");
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
