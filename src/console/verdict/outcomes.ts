// The five outcomes of a check, in display order and with their colours.
import type { Schemas } from "../api.ts";

type VerdictOutcome = Schemas["VerdictOutcome"];

export const TONES = { fail: "bad", warn: "warn", undecided: "info", "not-exercised": "quiet", pass: "ok" } as const;

export const OUTCOMES = Object.keys(TONES) as VerdictOutcome[];

export const formatOutcome = (outcome: VerdictOutcome): string => outcome.replace("-", " ");

/** Returns true if the outcome needs advice. */
export const hasAdvice = (outcome: VerdictOutcome): boolean => outcome !== "pass" && outcome !== "not-exercised";
