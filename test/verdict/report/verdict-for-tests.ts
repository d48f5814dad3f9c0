// A verdict with each of the five results, one of them ignored, and texts that want to be more than texts.
import { countOutcomes, type Result, type Verdict } from "../../../src/verdict/report/check-report.ts";

const result = (id: string, outcome: Result["outcome"], other: Partial<Result> = {}): Result => ({
  id,
  level: "must",
  title: `What ${id} asks for`,
  outcome,
  says: `what was seen of ${id}`,
  evidence: [],
  rule: "The description says so.",
  advice: "Write it otherwise.",
  took_ms: 1200,
  again: `sandbox check --only ${id} --seed 7 -- npm test`,
  ...other,
});

export const RESULTS: readonly Result[] = [
  result("RETRY-01", "fail", {
    says: "after a lost response the program booked again: bkg-1 and bkg-2",
    evidence: [
      { id: "req-12", at: "2030-06-01T09:00:00.000Z", says: "POST createBooking → 201, response lost, booking kept" },
      { id: "output", says: 'Error: <img src=x onerror="alert(1)"> & | `more`' },
    ],
  }),
  result("AUTH-02", "warn", { level: "should" }),
  result("HOOK-03", "undecided", { add: 'add --probe "command that prints its state as JSON"' }),
  result("TIME-01", "not-exercised", { took_ms: 0 }),
  result("PAGE-02", "pass"),
  result("SYNC-01", "warn", { ignored: { reason: "one call a day", until: "2030-06-30" } }),
];

export const verdictOf = (results: readonly Result[], other: Partial<Verdict> = {}): Verdict => ({
  version: 1,
  command: ["npm", "test"],
  seed: "7",
  results: [...results],
  counts: countOutcomes(results),
  no_verdict: null,
  sandbox: {
    version: "0.1.0",
    fixture: "harbour-tours",
    flips: [],
    specification: "5e".repeat(32),
    register: "2b".repeat(32),
  },
  at: "2030-06-01T12:34:56.000Z",
  took_ms: 192_000,
  exit_code: 1,
  ...other,
});

export const NO_VERDICT = verdictOf([], {
  no_verdict: { code: "RED_BY_ITSELF", says: "The program fails by itself, with exit code 4.", output: "boom <b>\n" },
  exit_code: 3,
});
