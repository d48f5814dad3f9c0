// A soak: a program that is careful knows in the end what is so, and of one that is not each difference is named.
import { expect, it } from "vitest";
import { runHere } from "../../cli/in-process.ts";
import { soaked } from "./soaked.ts";

const PULL = [{ STYLE: "pull" }, { webhookUrl: undefined, days: 1, restarts: 0 }] as const;

it("finds nothing at a careful mirror, after business, bad weather and a restart", async () => {
  const found = await soaked({ STYLE: "hooks" });
  expect(found).toMatchObject({ no_judgement: null, differences: [], exit_code: 0, restarts: 1, done_days: 3 });
  expect(Object.keys(found.business).length).toBeGreaterThan(8);
  expect(Object.keys(found.weather).length).toBeGreaterThan(3);
});

it("names record, member and both values", async () => {
  const [given, options] = PULL;
  const bookings = [{ id: "bkg-evening", status: "CANCELLED", total: 1.5, mine: 1 }, { id: "bkg-nobody" }];
  const found = await soaked(given, { ...options, probe: async () => ({ bookings }) });
  const known = found.differences.filter(({ id }) => id.startsWith("bkg-"));
  expect(known).toMatchObject([
    { kind: "stale", of: "bookings", id: "bkg-evening", member: "status", truth: "ACTIVE", program: "CANCELLED" },
    { kind: "wrong amount", of: "bookings", id: "bkg-evening", member: "total", program: 1.5 },
    { kind: "too many", of: "bookings", id: "bkg-nobody" },
  ]);
  const missing = found.differences.filter(({ kind }) => kind === "missing");
  expect(missing.length).toBeGreaterThan(2);
  expect(missing.every(({ id }) => id.startsWith("soak-"))).toBe(true);
  expect(found).toMatchObject({ exit_code: 1, not_compared: ["bookings.mine"] });
});

it.each([
  [["--", "true"], 2, "Say how the program's own state is read"],
  [["--days", "0", "--probe", "true", "--", "true"], 2, "--days 0 is no number from 1 to 366."],
  [["--probe", "true", "--", "no-such-command"], 3, "There is no command no-such-command."],
  [["--probe", "true", "--", "true"], 3, "The program ended by itself on day 1 of 30, with exit code 0."],
  [["--probe", "true", "--timeout", "0.2", "--", "sleep", "9"], 3, "The program never called the sandbox"],
])("says in words what it can't judge: %s", async (words, code, says) => {
  const ran = await runHere(["soak", ...words], { PATH: process.env.PATH ?? "" });
  expect({ code: ran.code, said: (ran.stdout + ran.stderr).replace(/\s+/g, " ") }).toEqual({
    code,
    said: expect.stringContaining(says),
  });
});
