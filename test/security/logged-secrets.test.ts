// No entry of the log holds a secret, wherever a client sends it: the data file outlives the process, and people send it to others.
import { expect, it } from "vitest";
import operations from "../../src/contract/generated/operations.json" with { type: "json" };
import { ask } from "../ask.ts";
import { shareSandbox } from "../sandbox.ts";

const CONTROL_TOKEN = "control-token-of-the-test";

const sandbox = shareSandbox({ fixture: "harbour-tours", controlToken: CONTROL_TOKEN });

const control = { authorization: `Bearer ${CONTROL_TOKEN}`, "content-type": "application/json" };
const send = (path: string, init: RequestInit = {}) => fetch(`${sandbox.url}${path}`, init);
const perform = async (path: string, body: object) =>
  (await ask("post", `${sandbox.url}/_sandbox/${path}`, control, body)).body;

/** The secrets of the world default, each from the response that is meant to have it. */
async function findSecrets() {
  const { result } = await perform("acts/createKey", { name: "Shop", scopes: ["webhook.write"] });
  const { client_id, client_secret } = result;
  const form = { grant_type: "client_credentials", audience: sandbox.url, client_id, client_secret };
  const granted = await send("/oauth2/token", { method: "POST", body: new URLSearchParams(form) });
  const { access_token } = (await granted.json()) as { access_token: string };
  const bearer = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const input = { url: "http://127.0.0.1:9/hook", event_types: ["v1.booking.created"], state: "ENABLED" };
  const { id, secret } = (await ask("post", `${sandbox.url}/v1/webhook-subscriptions`, bearer, input)).body;
  const rotated = await perform(`webhook-subscriptions/${id}/rotate-secret`, {});
  return { bearer, form, secrets: [client_secret, access_token, secret, rotated.secret] };
}

it("in every operation, and in every part of the request", async () => {
  const { bearer, form, secrets } = await findSecrets();
  const basic = btoa(`${form.client_id}:${form.client_secret}`);
  await send("/oauth2/token", { method: "POST", headers: { authorization: `Basic ${basic}` }, body: "grant_type=x" });
  for (const wrong of [{ audience: "x" }, { grant_type: "password" }, { scope: "no.such" }])
    await send("/oauth2/token", { method: "POST", body: new URLSearchParams({ ...form, ...wrong }) });
  for (const { method, path } of operations) {
    for (const secret of secrets) {
      const placed = encodeURIComponent(secret);
      const headers = { ...bearer, cookie: `sandbox-session=${secret}`, "x-note": `signed by ${secret}` };
      const body = JSON.stringify({ client_secret: secret, secret, note: `it is ${secret}`, [secret]: [secret] });
      const target = `${path.replace(/\{\w+\}/g, placed)}?q=${placed}&access_token=${placed}&${placed}=1`;
      await send(target, { method, headers, ...(method === "get" ? {} : { body }) });
    }
  }
  await perform("acts/createKey", { name: secrets[0], scopes: [`${secrets[1]}`] });
  await send("/_sandbox/acts/createKey", {
    method: "POST",
    headers: { ...control, cookie: CONTROL_TOKEN },
    body: "{}",
  });
  const entries = sandbox.running.application.activityLog.listAfter(0).filter(({ kind }) => kind !== "commit");
  expect(entries.length).toBeGreaterThan(4 * operations.length);
  const plain = [...secrets.map((secret) => secret.replace(/^whsec_/, "")), CONTROL_TOKEN, basic];
  const forms = plain.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const holding = entries.filter(({ text }) => forms.some((form) => text.includes(form)));
  expect(holding.map(({ text }) => text)).toEqual([]);
}, 60_000);
