// A program that reads the address of its sandbox from a file, which all of its runs share: runs side by side call each other's sandbox.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { type Connection, checks, judge, type Launch } from "../../src/verdict/index.ts";
import { makeTempFolder } from "../temp-folder.ts";

const file = join(makeTempFolder(), ".env");

async function listBookings(): Promise<string> {
  const read = () => JSON.parse(readFileSync(file, "utf8")) as Connection;
  // Time for another run to write its own.
  await pause(200);
  const { url, token_url, client_id, client_secret } = read();
  const form = { grant_type: "client_credentials", audience: url, scope: "booking.read" };
  const token = await fetch(token_url, {
    method: "POST",
    body: new URLSearchParams({ ...form, client_id, client_secret }),
  });
  if (!token.ok) return "no token";
  const { access_token } = (await token.json()) as { access_token: string };
  const response = await fetch(`${url}/v1/bookings`, { headers: { authorization: `Bearer ${access_token}` } });
  return String(response.status);
}

it("is repeated, one run at a time, and judged by that", async () => {
  const reported: object[] = [];
  const launch: Launch = (connection) => {
    writeFileSync(file, JSON.stringify(connection));
    return { ended: listBookings().then((output) => ({ code: 0, output })), stop: () => {} };
  };
  const found = await judge({
    command: ["app"],
    seed: "7",
    jobs: 3,
    limitMs: 60_000,
    launch,
    checks: checks.filter(({ id }) => ["AUTH-01", "RETRY-03", "RETRY-05", "TOL-01"].includes(id)),
    start: (options) => startOwnSandbox({ clock: "anchor", ...options }),
    report: (progress) => reported.push(progress),
  });
  expect(reported).toContainEqual({ what: "alone", haveStrayed: true });
  const outcomes = found.results.map(({ id, outcome }) => [id, outcome]);
  expect(outcomes).toEqual([
    ["AUTH-01", "warn"],
    ["RETRY-03", "not-exercised"],
    ["RETRY-05", "warn"],
    ["TOL-01", "not-exercised"],
  ]);
  expect(found.results.find(({ id }) => id === "RETRY-03")?.says).toBe("the operation was not called again");
});
