// What a process has found of zones serves the next one, which then says the same; a file that is damaged is passed over and replaced.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "zones-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
});
// The next file of this worker would wait for ever.
afterEach(() => void vi.useRealTimers());

const ZONES = ["Europe/Copenhagen", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "UTC", "+05:30"];
const retained = () => readFileSync(join(folder, readdirSync(folder)[0] as string), "utf8");

/** What a process says that begins with what is kept, about every tenth day of some years; and then keeps. */
async function message() {
  const { keepZones } = await import("../../../src/engine/time/cached-zones.ts");
  const { stretchAt } = await import("../../../src/engine/domain/kernel/zone.ts");
  keepZones(folder);
  const days = Array.from({ length: 200 }, (_, day) => Date.UTC(2026, 0, 1 + day * 10, 1));
  const words = ZONES.flatMap((zone) => days.map((day) => stretchAt(zone, day)));
  vi.advanceTimersByTime(1000);
  return words;
}

it("says the same of what it recalls", async () => {
  const first = await message();
  const text = retained();
  expect(Object.fromEntries(JSON.parse(text))["Europe/Copenhagen"].length).toBeGreaterThan(10);
  vi.resetModules();
  expect(await message()).toEqual(first);
  expect(JSON.parse(retained())).toEqual(expect.arrayContaining(JSON.parse(text)));
});

it.each(["", "{", "null", "[null]", "\0\0"])("replaces a file that holds %j", async (text) => {
  const first = await message();
  writeFileSync(join(folder, readdirSync(folder)[0] as string), text);
  vi.resetModules();
  expect(await message()).toEqual(first);
  expect(JSON.parse(retained()).length).toBeGreaterThan(4);
});

it("does without where nothing can be kept", async () => {
  const { keepZones } = await import("../../../src/engine/time/cached-zones.ts");
  keepZones(join(folder, "nowhere"));
  expect(() => vi.advanceTimersByTime(1000)).not.toThrow();
});
