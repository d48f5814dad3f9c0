// A soak: a program that is careful knows in the end what is so, and of one that is not each difference is named.
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { createPlan } from "../../../src/verdict/soak/plan.ts";
import { reportSoak } from "../../../src/verdict/soak/report.ts";
import { shrinkSoak } from "../../../src/verdict/soak/shrink/index.ts";
import { runHere } from "../../cli/in-process.ts";
import { inThread, programs } from "../matrix.ts";
import { createSoakOptions, soaked } from "./soaked.ts";

it.runIf(process.env.SANDBOX_LONG)("lets a program finish that polls continuously", async () => {
  const found = await soaked("pull", {
    days: 3,
    rate: 2,
    dayMs: 400,
    graceMs: 0,
    launch: inThread(join(programs, "careful", "poller.mjs")),
    probe: async () => ({ bookings: [] }),
  });
  expect(found).toMatchObject({ no_verdict: null, done_days: 3, restarts: 1 });
  expect(found.weather).toMatchObject({ "revoked-token": expect.any(Number) });
  expect(found.weather).not.toHaveProperty("lasting-token");
});

it("shows record, field and both values", async () => {
  const bookings = [{ id: "bkg-evening", status: "CANCELLED", total: 1.5, mine: 1 }, { id: "bkg-nobody" }];
  const found = await soaked("pull", {
    days: 1,
    restarts: 0,
    dayMs: 200,
    graceMs: 0,
    probe: async () => ({ bookings }),
  });
  const known = found.differences.filter(({ id }) => id.startsWith("bkg-"));
  expect(known).toMatchObject([
    { kind: "stale", of: "bookings", id: "bkg-evening", member: "status", truth: "ACTIVE", program: "CANCELLED" },
    { kind: "wrong amount", of: "bookings", id: "bkg-evening", member: "total", program: 1.5 },
    { kind: "too many", of: "bookings", id: "bkg-nobody" },
  ]);
  const missing = found.differences.filter(({ kind }) => kind === "missing");
  expect(missing.length).toBeGreaterThan(2);
  // The program reads lists, so a response should have informed it.
  expect(missing.map(({ told }) => told?.says)).toContain("GET listBookings → 200");
  const { notes } = reportSoak({ ...found, refused: 2 });
  expect(notes[0]).toMatch(/ of guests and host, 2 rejected, \d+ failures? met, 0 restarts, /);
  expect(found).toMatchObject({ exit_code: 1, not_compared: ["bookings.mine"] });
});

it("is shortened to the step that causes the difference, as a scenario", async () => {
  const short = { days: 1, restarts: 0, dayMs: 200, graceMs: 0, probe: async () => ({ bookings: [] }) };
  const options = createSoakOptions("pull", short);
  const steps = createPlan(options).filter(({ row }) => row === "guest-books");
  const first = await soaked("pull", { ...short, steps: steps.slice(0, 2).map(({ number }) => number) });
  const shrunk = await shrinkSoak(first, options, { isOver: () => false });
  expect(shrunk).toMatchObject({ from: 2, to: 1, unfinished: false, difference: { kind: "missing", of: "bookings" } });
  const { title, steps: recorded } = parse(shrunk?.text ?? "") as { title: string; steps: { act?: string }[] };
  expect([title, recorded.flatMap(({ act }) => act ?? [])]).toEqual([shrunk?.difference.says, ["bookAsHost"]]);
  expect(shrunk?.text).toContain(`# Shown by: ${shrunk?.soak.again}`);
});

it("plans the same for the same seed, and something else for another", () => {
  const plan = (seed: string) => createPlan({ seed, days: 30, rate: 1, restarts: 3 });
  expect(plan("7")).toEqual(plan("7"));
  expect(plan("8")).not.toEqual(plan("7"));
});

it.each([
  [["--", "true"], 2, "Name a command that prints the program's own state"],
  [["--days", "0", "--probe", "true", "--", "true"], 2, "--days 0 is not a number from 1 to 366."],
  [["--without", "lost-deliverys", "--probe", "true", "--", "true"], 2, "Did you mean lost-delivery?"],
  [["--probe", "true", "--", "no-such-command"], 3, "There is no command no-such-command."],
  [["--probe", "true", "--", "true"], 3, "The program ended by itself on day 1 of 30, with exit code 0."],
  [["--probe", "true", "--timeout", "0.2", "--", "sleep", "9"], 3, "The program never called the sandbox"],
])("explains what it can't judge: %s", async (words, code, says) => {
  const ran = await runHere(["check", "soak", ...words], { PATH: process.env.PATH ?? "" });
  expect({ code: ran.code, said: (ran.stdout + ran.stderr).replace(/\s+/g, " ") }).toEqual({
    code,
    said: expect.stringContaining(says),
  });
});

it.each([
  ["text", 'The probe printed "text".'],
  [{ booking: [] }, "The probe printed the unknown kind booking. Did you mean bookings?"],
  [{ bookings: [{ status: "ACTIVE" }] }, "The probe printed bookings[0] without an id."],
])("does not judge a probe that prints no state: %j", async (printed, says) => {
  const found = await soaked("pull", { days: 1, restarts: 0, rate: 0, dayMs: 100, probe: async () => printed });
  expect(found).toMatchObject({ exit_code: 3, no_verdict: { code: "PROBE", says: expect.stringContaining(says) } });
});
