// What is promised of an answered write: with `--durability os` it is in the file before it is answered, with `fsync` on the disk
// itself. A disk that can't say so is an answer that says so.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { newFile, type OwnProcess, openNew, openOn } from "./own-process.ts";

const GATE = fileURLToPath(new URL("disk-gate.cjs", import.meta.url));

async function open(durability: "os" | "fsync"): Promise<{ served: OwnProcess; gate: string }> {
  const file = newFile();
  const gate = `${dirname(file)}.gate`;
  const environment = { NODE_OPTIONS: `--require=${JSON.stringify(GATE)}`, SYNC_GATE: gate };
  return { served: await openNew({ file, environment, more: ["--durability", durability] }), gate };
}

const written = ({ file }: OwnProcess) => readFileSync(join(dirname(file), "world.json.log"), "utf8");
const isAlive = async ({ url }: OwnProcess) => (await fetch(`${url}/healthz`)).status;

it.concurrent("os: a booking is in the file when the response is sent, and does not wait for the disk", async () => {
  const { served, gate } = await open("os");
  writeFileSync(gate, "wait");
  const { status, id } = await served.book();
  expect([status, written(served).includes(id)]).toEqual([201, true]);
  rmSync(gate);
  await served.end("SIGKILL");
});

it.concurrent("fsync: responses to bookings, acts and tokens are sent when the disk has them, and not before", async () => {
  const { served, gate } = await open("fsync");
  writeFileSync(gate, "wait");
  const before = written(served).split("\n").length;
  const answered: string[] = [];
  const telling = <T>(name: string, work: Promise<T>) => work.finally(() => answered.push(name));
  const { client_id, client_secret } = served;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    audience: served.url,
    client_id,
    client_secret,
  });
  const all = Promise.all([
    telling("booking", served.book()),
    telling("another", served.book()),
    telling("act", served.act("submitConsent", { full_name: "Bo", email: "bo@example.com" })),
    telling("token", fetch(`${served.url}/oauth2/token`, { method: "POST", body: form })),
  ]);
  await vi.waitFor(() => expect(written(served).split("\n").length).toBeGreaterThanOrEqual(before + 4), {
    timeout: 60_000,
  });
  expect(await isAlive(served)).toBe(200);
  expect(answered).toEqual([]);
  rmSync(gate);
  const [one, two, , token] = await all;
  expect([one.status, two.status, token.status]).toEqual([201, 201, 200]);
  await served.end("SIGKILL");
  const again = await openOn(served.file);
  expect((await again.bookings()).sort()).toEqual([one.id, two.id].sort());
  await again.end("SIGKILL");
});

it.concurrent("fsync: a failing disk causes a 503 for this write and all later ones, and keeps confirmed changes", async () => {
  const { served, gate } = await open("fsync");
  const { id } = await served.book();
  writeFileSync(gate, "fail");
  for (let tries = 0; tries < 3; tries++) {
    const { status, text } = await served.book();
    expect([status, JSON.parse(text).message]).toEqual([503, expect.stringContaining("nothing more will be kept")]);
    rmSync(gate, { force: true });
  }
  // Neither does a read say what nobody can be sure of.
  const read = await fetch(`${served.url}/v1/bookings/${id}`, { headers: { authorization: `Bearer ${served.token}` } });
  expect(read.status).toBe(503);
  await served.end("SIGKILL");
  const again = await openOn(served.file);
  expect(await again.bookings()).toContain(id);
  await again.end("SIGKILL");
});
