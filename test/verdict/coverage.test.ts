// What a program has met of the service, axis by axis, as the command tells it; a fault's answer is none of the service's.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { folder } from "../cli/run-sandbox.ts";
import { book, done } from "../engine/operations/kit.ts";
import { shareSandbox, shareWorld } from "../sandbox.ts";

const sandbox = shareSandbox();
const world = shareWorld(sandbox);

const coverage = async (...words: string[]) => {
  const ran = await runHere(["check", "coverage", "--url", sandbox.url, "--world", world.id, ...words]);
  return { ...ran, text: ran.stdout + ran.stderr };
};
const axesOf = async (...words: string[]) => {
  const { axes } = JSON.parse((await coverage("--json", ...words)).stdout) as {
    axes: { axis: string; met: number; of: number; gaps: { what: string; close: string }[] }[];
  };
  return Object.fromEntries(axes.map((each) => [each.axis, { ...each, gaps: each.gaps.map(({ what }) => what) }]));
};

it("begins with gaps only, each with the command to close it", async () => {
  const { code, stdout } = await coverage();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ – {4}operations 0 of 4\d, 0 %$/m);
  expect(stdout).toMatch(/ +createToken +sandbox call createToken --list$/m);
  expect(stdout).toMatch(/ +v1\.event\.created +sandbox trigger v1\.event\.created$/m);
  const all = JSON.parse((await coverage("--json")).stdout).axes as {
    axis: string;
    gaps: Record<"what" | "close", string>[];
  }[];
  const moves = all
    .find(({ axis }) => axis === "transitions")
    ?.gaps.filter(({ what }) => /^(booking|webhook)/.test(what));
  expect(moves?.map(({ what, close }) => `${what}: ${close}`)).toEqual([
    "booking PROCESSING → ACTIVE: sandbox act",
    "booking PROCESSING → CANCELLED: sandbox act",
    "booking ACTIVE → MOVED: sandbox act",
    "booking ACTIVE → CANCELLED: sandbox act",
    "booking ACTIVE → CHECKED_IN: sandbox act",
    "booking CHECKED_IN → ACTIVE: sandbox act",
    "webhook subscription ENABLED → DISABLED: sandbox call replaceWebhookSubscription --list",
    "webhook subscription DISABLED → ENABLED: sandbox call replaceWebhookSubscription --list",
  ]);
  // What only a fault makes the service answer is no gap.
  const { statuses } = await axesOf();
  expect([...new Set(statuses?.gaps.map((gap) => gap.split(" ")[1]))].sort()).toEqual([
    "200",
    "201",
    "204",
    "400",
    "401",
    "403",
    "404",
    "406",
    "409",
    "413",
    "415",
    "429",
  ]);
});

it("counts each axis separately", async () => {
  const { body } = await book(world, "evt-evening");
  await world.call("getBooking", { path: { bookingId: body.id } });
  await done(world, "cancelBooking", { booking_id: body.id });
  await world.call("getBooking", { path: { bookingId: body.id } });
  await book(world, "evt-nowhere");
  const axes = await axesOf();
  const { operations, statuses, codes, values, transitions, assumptions } = axes as Required<typeof axes>;
  expect(operations?.gaps).not.toContain("createBooking");
  expect(statuses?.gaps).toContain("createBooking 409");
  expect(statuses?.gaps).not.toContain("createBooking 201");
  expect(codes?.gaps).not.toContain("EVENT_NOT_FOUND");
  expect(values?.gaps).not.toContain("Booking.status CANCELLED");
  expect(values?.gaps).toContain("Booking.status MOVED");
  expect(transitions?.gaps).not.toContain("booking ACTIVE → CANCELLED");
  expect(transitions?.gaps).toContain("booking ACTIVE → MOVED");
  expect(assumptions?.met).toBeGreaterThan(3);
});

it("does not count a response of a fault", async () => {
  const faults = [{ operation: "listOrders", times: 1, status: 503 }];
  expect((await world.control("put", "faults", { faults })).status).toBe(200);
  expect((await world.call("listOrders", { undocumented: true })).status).toBe(503);
  expect((await axesOf()).operations?.gaps).toContain("listOrders");
  await world.call("listOrders");
  expect((await axesOf()).operations?.gaps).not.toContain("listOrders");
});

it("exits with 1 below --min, and reads a stored log", async () => {
  expect((await coverage("--min", "operations=1")).code).toBe(0);
  const short = await coverage("--min", "operations=80");
  expect([short.code, short.stdout]).toEqual([
    1,
    expect.stringMatching(/FAIL operations \d+ of \d+, \d+ %; --min wants 80 %/),
  ]);
  const { stdout } = await runHere(["logs", "--url", sandbox.url, "--world", world.id, "--json"]);
  const file = join(folder, "log.json");
  writeFileSync(file, stdout);
  expect((await axesOf("--file", file)).operations?.met).toBe((await axesOf()).operations?.met);
});

it("counts the drills that a verdict has judged", async () => {
  const file = join(folder, "verdict.json");
  const results = [
    { id: "RETRY-01", outcome: "fail" },
    { id: "TIME-01", outcome: "not-exercised" },
  ];
  writeFileSync(file, JSON.stringify({ results }));
  const { drills } = await axesOf("--verdict", file);
  expect([drills?.met, drills?.gaps.includes("TIME-01")]).toEqual([1, true]);
});

it.each([
  [["operatons"], "operations"],
  [["--min", "operations"], "operations=80"],
  [["--min", "operation=80"], "operations"],
  [["--file", "/nowhere.json"], "sandbox logs --json"],
  [["--verdict", "/nowhere.json"], "--report json="],
])("reports what is wrong with %j", async (words, advice) => {
  const { code, stderr } = await coverage(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(advice)]);
});
