// The log and why after a restart: what reads the log needs nothing but the lines of the data file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Answered, anna, openSandbox, type TestSandbox } from "../../sandbox.ts";

const folder = mkdtempSync(join(tmpdir(), "restored-"));
afterAll(() => rmSync(folder, { recursive: true }));

const open = () =>
  openSandbox({ fixture: "harbour-tours", clock: "2030-06-01T09:00:00.000Z", data: join(folder, "world.json") });

const read = async ({ url }: TestSandbox, path: string): Promise<Answered["body"]> =>
  (await fetch(`${url}/_sandbox/${path}`)).json();

async function requestToken({ running, url }: TestSandbox): Promise<string> {
  const [key] = running.application.worlds.get("default")?.credentials().keys.all() ?? [];
  const { id = "", secret = "" } = key ?? {};
  const form = { grant_type: "client_credentials", audience: url, client_id: id, client_secret: secret };
  const granted = await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  return ((await granted.json()) as { access_token: string }).access_token;
}

it("show a rejected request as they did before", async () => {
  const first = await open();
  const rejected = await fetch(`${first.url}/v1/bookings`, {
    method: "POST",
    headers: { authorization: `Bearer ${await requestToken(first)}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ event_id: "evt-sold-out", locale: "da", customer: anna },
      items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
    }),
  });
  const id = rejected.headers.get("sandbox-request-id") ?? "";
  const logged = await read(first, `log/${id}`);
  const { refusal } = await read(first, `why/${id}`);
  expect([logged.status, refusal.smallest]).toMatchObject([rejected.status, { tried: true, works_now: true }]);
  const listed = (await read(first, "log?kinds=request,act,clock,delivery,world")).items.length;
  await first.close();

  const second = await open();
  expect(await read(second, `log/${id}`)).toEqual(logged);
  expect((await read(second, `why/${id}`)).refusal).toEqual(refusal);
  expect((await read(second, "log")).items.length).toBeGreaterThanOrEqual(listed);
  await second.close();
});
