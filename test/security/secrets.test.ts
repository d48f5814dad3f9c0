// Secrets are printed by whoever is asked for them, and nowhere else: not by a quiet start, the logs, the journal, the stream, the
// metrics, the errors or the files beside the world.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { folder, run, startSandboxCommand } from "../cli/run-sandbox.ts";
import { freePort } from "../free-port.ts";

const CLOCK = ["--clock", "2030-06-01T09:00:00Z"];
const CONTROL_TOKEN = "control-token-of-the-test";
const CONTROL = { authorization: `Bearer ${CONTROL_TOKEN}` };

interface Known {
  url: string;
  client_id: string;
  client_secret: string;
  webhook_secret: string;
}

/** Sends every secret that a client has to the right places and to the wrong ones; answers all that there are. */
async function useSecrets({ url, client_id, client_secret, webhook_secret }: Known): Promise<string[]> {
  const json = { "content-type": "application/json" };
  const control = { ...json, ...CONTROL };
  const post = (path: string, body: object, headers: Record<string, string> = json) =>
    fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const form = { grant_type: "client_credentials", audience: url, client_id, client_secret };
  const answer = await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  const { access_token } = (await answer.json()) as { access_token: string };
  const bearer = { ...json, authorization: `Bearer ${access_token}` };
  const createdKey = await post("/_sandbox/acts/createKey", { name: "Second", scopes: ["order.read"] }, control);
  const key = (await createdKey.json()) as { result: { client_secret: string } };
  const input = { url: "http://127.0.0.1:9/other", event_types: ["v1.booking.created"], state: "ENABLED" };
  const made = (await (await post("/v1/webhook-subscriptions", input, bearer)).json()) as {
    id: string;
    secret: string;
  };
  const rotated = await post(`/_sandbox/webhook-subscriptions/${made.id}/rotate-secret`, {}, control);
  const { secret } = (await rotated.json()) as { secret: string };
  await fetch(`${url}/v1/me?access_token=${access_token}&client_secret=${client_secret}`, { headers: bearer });
  const elsewhere = new URLSearchParams({ key: access_token, ref: client_secret, note: `signed by ${made.secret}.` });
  await fetch(`${url}/v1/me?${elsewhere}`, { headers: bearer });
  for (const misplaced of [access_token, client_secret, made.secret]) {
    const sent = encodeURIComponent(misplaced);
    for (const path of [`/v1/bookings/${sent}`, `/v1/${sent}`, `/v1/bookings?limit=${sent}`, `/v1/me?${sent}=1`])
      await fetch(`${url}${path}`, { headers: bearer });
  }
  await post("/v1/bookings", { key: `token ${access_token}`, ref: [client_secret] }, bearer);
  await post("/v1/bookings", { client_secret, access_token, secret: made.secret }, bearer);
  await post("/oauth2/token", { client_secret }, json);
  await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams({ ...form, audience: "wrong" }) });
  await fetch(`${url}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
  });
  await fetch(`${url}/_sandbox/state`, { headers: CONTROL });
  const all = [
    client_secret,
    webhook_secret,
    access_token,
    key.result.client_secret,
    made.secret,
    secret,
    CONTROL_TOKEN,
  ];
  return all.map((each) => each?.replace(/^whsec_/, ""));
}

/** Of every subscription there is, `listen`'s own among them. */
async function signingSecrets(url: string): Promise<string[]> {
  const { collections } = (await (await fetch(`${url}/_sandbox/state`, { headers: CONTROL })).json()) as {
    collections: { subscriptions: { secret: string }[] };
  };
  return collections.subscriptions.map(({ secret }) => secret.replace(/^whsec_/, ""));
}

it("Secrets are only in the responses that should contain them", async () => {
  const file = join(folder, "secrets", "world.json");
  const words = ["start", "--data", file, "--port", "0", ...CLOCK, "--webhook-url", "http://127.0.0.1:9/"];
  const server = startSandboxCommand([...words, "--json", "--log", "json"], { SANDBOX_CONTROL_TOKEN: CONTROL_TOKEN });
  const known = JSON.parse(await server.shows("}\n")) as Known;
  const at = { SANDBOX_URL: known.url, SANDBOX_CONTROL_TOKEN: CONTROL_TOKEN };
  const stopping = new AbortController();
  let streamed = "";
  const stream = fetch(`${known.url}/_sandbox/stream`, { headers: CONTROL, signal: stopping.signal }).then(
    async ({ body }) => {
      const decoder = new TextDecoder();
      for await (const piece of body ?? []) streamed += decoder.decode(piece, { stream: true });
    },
  );
  const listening = startSandboxCommand(["listen"], at);
  await listening.shows(/v1\.booking\.created|http:/);
  const secrets = [...(await useSecrets(known)), ...(await signingSecrets(known.url))];
  expect(secrets.every((secret) => secret.length > 20)).toBe(true);

  const read = async (path: string) => (await fetch(`${known.url}${path}`, { headers: CONTROL })).text();
  const seen: Record<string, string> = {
    logs: JSON.stringify(await runHere(["logs"], at)),
    "logs --json": JSON.stringify(await runHere(["logs", "--json"], at)),
    journal: await read("/_sandbox/requests"),
    messages: await read("/_sandbox/messages"),
    metrics: await read("/_sandbox/metrics"),
    home: await read("/_sandbox"),
    worlds: await read("/_sandbox/worlds"),
    "world list": JSON.stringify(await runHere(["world", "list", "--json"], at)),
  };
  expect(seen.journal).toContain("[redacted]");
  seen.listen = JSON.stringify(await listening.stop());
  stopping.abort();
  await stream.catch(() => undefined);
  const { stdout, stderr } = await server.stop();
  Object.assign(seen, { streamed, stderr, stdout: stdout.split("\n").slice(1).join("\n") });
  for (const [where, text] of Object.entries(seen))
    for (const [place, secret] of secrets.entries())
      expect([where, place, text.includes(secret)]).toEqual([where, place, false]);
  expect(streamed.length).toBeGreaterThan(100);

  // The world's own file has to hold the keys; a token is only ever there as its hash.
  expect(readdirSync(join(folder, "secrets"))).toEqual(["world.json", "world.json.log"]);
  for (const name of [file, `${file}.log`]) expect(readFileSync(name, "utf8")).not.toContain(secrets[2]);
});

it("A quiet start prints nothing, and a failed start prints no secret of its environment", async () => {
  const port = await freePort();
  const quiet = startSandboxCommand(["start", "--memory", "--port", String(port), "--quiet", ...CLOCK]);
  while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  const { code, stdout, stderr } = await quiet.stop();
  expect([code, stdout, stderr]).toEqual([0, "", ""]);
  const failed = await run(["start", "--port", "nonsense"], { SANDBOX_CONTROL_TOKEN: CONTROL_TOKEN });
  expect(failed.code).toBe(2);
  expect(failed.stdout + failed.stderr).not.toContain(CONTROL_TOKEN);
});

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
