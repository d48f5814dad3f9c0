// The library on a sandbox that runs already: the worlds of a suite are made there and removed, and what can't be is said in a sentence.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { ClosedError, type Sandbox, type StartOptions, startSandbox } from "../../src/index.ts";
import { createSharedSandbox } from "../../src/library/runners/own-world.ts";
import { startLocalServer } from "../local-server.ts";
import { makeTempFolder } from "../temp-folder.ts";

let running: Sandbox;
beforeAll(async () => {
  running = await startSandbox({ url: null });
});
afterAll(() => running.close());
afterEach(() => vi.unstubAllEnvs());

async function worldsThere(): Promise<{ id: string; seed: string; now: string; fixture: string }[]> {
  const answer = await fetch(`${running.controlUrl}/worlds`);
  return ((await answer.json()) as { items: { id: string; seed: string; now: string; fixture: string }[] }).items;
}

const named = (url: string = running.url) => vi.stubEnv("SANDBOX_URL", url);

it("uses the sandbox in the environment, in separate worlds, and deletes them at the end", async () => {
  named(`${running.url}/`);
  const sandbox = await startSandbox();
  const world = await sandbox.world();
  const fork = await world.fork();
  expect([sandbox.url, sandbox.controlUrl]).toEqual([running.url, running.controlUrl]);
  expect((await worldsThere()).map(({ id }) => id)).toEqual(["default", sandbox.id, world.id, fork.id]);
  for (const { now } of (await worldsThere()).slice(1)) expect(now).toBe("2030-06-01T09:00:00.000Z");
  await world.act("cancelBooking", { booking_id: "bkg-evening" });
  expect((await world.webhooks.waitFor("v1.booking.cancelled")).body.payload.booking_id).toBe("bkg-evening");
  expect(await sandbox.webhooks.all()).toEqual([]);
  const headers = { authorization: `Bearer ${await world.token(["booking.read"])}` };
  expect((await fetch(`${world.url}/v1/bookings/bkg-evening`, { headers })).status).toBe(200);
  await fork.remove();
  const waiting = expect(world.webhooks.waitFor("v1.booking.created", { timeout: 50_000 })).rejects.toBeInstanceOf(
    ClosedError,
  );
  await world.requests();
  await Promise.all([sandbox.close(), sandbox.close(), waiting]);
  await expect(world.clock.now()).rejects.toBeInstanceOf(ClosedError);
  expect((await worldsThere()).map(({ id }) => id)).toEqual(["default"]);
});

it("creates every world with the options", async () => {
  const clock = new Date("2031-01-01T00:00:00Z");
  const options = { fixture: "empty", clock, seed: 5, assume: ["booking-create-status=200"] };
  await using sandbox = await startSandbox({ url: running.url, ...options });
  await using world = await sandbox.world();
  await using other = await sandbox.world({ seed: 6, fixture: "harbour-tours" });
  const found = new Map((await worldsThere()).map((each) => [each.id, [each.fixture, each.seed, each.now]]));
  const now = clock.toISOString();
  expect(found.get(sandbox.id)).toEqual(["empty", "5", now]);
  expect(found.get(world.id)).toEqual(["empty", "5", now]);
  expect(found.get(other.id)).toEqual(["harbour-tours", "6", now]);
  const answer = await fetch(`${running.controlUrl}/assumptions?world=${other.id}`);
  const { items } = (await answer.json()) as { items: { id: string; value: string }[] };
  expect(items.find(({ id }) => id === "booking-create-status")?.value).toBe("200");
});

it("subscribes the sandbox's own world and worlds with the option", async () => {
  const webhookUrl = new URL("http://127.0.0.1:9/hook");
  const url = new URL(running.url);
  await using sandbox = await startSandbox({ url, webhookUrl, webhookEvents: "v1.booking.created" });
  await using world = await sandbox.world();
  expect([sandbox.webhookSecret, world.webhookSecret]).toEqual([expect.stringMatching(/^whsec_/), undefined]);
});

/** A company of one's own: harbour-tours with a key that may do less. */
function ownFixture(): string {
  const folder = join(makeTempFolder(), "my-company");
  cpSync(fileURLToPath(new URL("../../fixtures/harbour-tours", import.meta.url)), folder, { recursive: true });
  const file = join(folder, "world.json");
  const { $schema: _, ...about } = JSON.parse(readFileSync(file, "utf8"));
  const credentials = [{ name: "Reader", scopes: ["booking.read", "webhook.read", "webhook.write"] }];
  writeFileSync(file, JSON.stringify({ ...about, credentials }));
  return folder;
}

it("copies the fixture of a folder", async () => {
  const fixture = ownFixture();
  const webhookUrl = "http://127.0.0.1:9/hook";
  await using sandbox = await startSandbox({ url: running.url, fixture, webhookUrl, clock: "2030-06-01T10:00:00Z" });
  await using world = await sandbox.world({ id: "brought" });
  expect([world.id, await world.clock.now()]).toEqual(["brought", "2030-06-01T10:00:00.000Z"]);
  expect([sandbox.webhookSecret, world.webhookSecret]).toEqual([expect.stringMatching(/^whsec_/), undefined]);
  const headers = { authorization: `Bearer ${await world.token()}` };
  const status = async () => {
    const answer = await fetch(`${world.url}/v1/bookings/bkg-evening`, { headers });
    return ((await answer.json()) as { status: string }).status;
  };
  expect((await fetch(`${world.url}/v1/orders`, { headers })).status).toBe(403);
  await world.act("cancelBooking", { booking_id: "bkg-evening" });
  const fork = await world.fork();
  expect(await status()).toBe("CANCELLED");
  await world.reset();
  await fork.reset();
  expect(await status()).toBe("ACTIVE");
  expect([await world.clock.now(), await fork.clock.now()]).toEqual(Array(2).fill("2030-06-01T10:00:00.000Z"));
  await sandbox.act("cancelBooking", { booking_id: "bkg-evening" });
  const message = await sandbox.webhooks.waitFor("v1.booking.cancelled");
  expect(message.deliveries.map(({ url }) => url)).toEqual([webhookUrl]);
  expect(await sandbox.requests()).toEqual([]);
  await using again = await sandbox.world({ fixture });
  expect(
    (await fetch(`${again.url}/v1/orders`, { headers: { authorization: `Bearer ${await again.token()}` } })).status,
  ).toBe(403);
  await expect(sandbox.world({ fixture: "./another" })).rejects.toThrow(
    "fixture: ./another is not the name of a fixture.",
  );
});

it("gives a test a world in that sandbox without a change of the test", async () => {
  named();
  const shared = createSharedSandbox({});
  let seen: string[] = [];
  await shared.run("a test", async ({ world }) => {
    seen = (await worldsThere()).map(({ id }) => id);
    expect(seen).toContain(world.id);
  });
  await shared.close();
  expect((await worldsThere()).map(({ id }) => id)).toEqual(["default"]);
});

it("starts a sandbox anyway on request of the code, or with an empty variable", async () => {
  named();
  await using own = await startSandbox({ url: null, rateLimit: 60 });
  named("");
  await using another = await startSandbox();
  expect([own.id, another.id]).toEqual(["default", "default"]);
  expect(new Set([own.url, another.url, running.url]).size).toBe(3);
});

it.each<[options: StartOptions, sentence: RegExp]>([
  [{ port: 0 }, /^port applies to a sandbox that is started here, but url names a running one at .*leave out url/],
  [{ maturity: "production" }, /^maturity is production, and the sandbox at \S+ was started with preview\./],
  [
    { url: "ftp://127.0.0.1" },
    /^url is ftp:\/\/127\.0\.0\.1, which is not a plain http address\. Write it as http:\/\/127\.0\.0\.1:4010\.$/,
  ],
  [
    { url: "http://me:word@127.0.0.1:4203/" },
    /which is not a plain http address\. Write it as http:\/\/127\.0\.0\.1:4203\.$/,
  ],
  [
    { url: "https://sandbox.example.com", webhookUrl: "http://localhost:3000/hook" },
    /^webhookUrl is http:\/\/localhost:3000\/hook, an address of this machine, which the sandbox at \S+ can't reach/,
  ],
])("rejects %j in one sentence, and creates no world", async (options, sentence) => {
  const refused = await startSandbox({ url: running.url, ...options }).catch((reason: Error) => reason);
  expect(refused).toMatchObject({ code: "SETTING_REJECTED", message: expect.stringMatching(sentence) });
  expect(await worldsThere()).toHaveLength(1);
});

it("reports the variable that contains the address", async () => {
  named();
  await expect(startSandbox({ data: "x.json" })).rejects.toThrow(/SANDBOX_URL names a running one .* pass `url: null`/);
  named("nowhere");
  await expect(startSandbox()).rejects.toThrow("SANDBOX_URL is nowhere, which is not a plain http address.");
});

it("reports an unreachable address, another server, and a missing token", async () => {
  const { url, close } = await startLocalServer((_, response) => void response.end("<html>"));
  await expect(startSandbox({ url })).rejects.toMatchObject({
    name: "UnreachableError",
    code: "SANDBOX_UNREACHABLE",
    message: expect.stringContaining(`The program at ${url} is not a sandbox. Correct url`),
  });
  close();
  await expect(startSandbox({ url })).rejects.toMatchObject({
    code: "SANDBOX_UNREACHABLE",
    message: `No sandbox responds at ${url} (ECONNREFUSED). Start it, or correct url.`,
  });
});
