// The five results of a check, in the order and the colours in which they are shown.
import type { Schemas } from "../api.ts";

type VerdictOutcome = Schemas["VerdictOutcome"];

export const TONES = { fail: "bad", warn: "warn", undecided: "info", "not-exercised": "quiet", pass: "ok" } as const;

export const OUTCOMES = Object.keys(TONES) as VerdictOutcome[];

export const formatOutcome = (outcome: VerdictOutcome): string => outcome.replace("-", " ");

/** What passed needs no advice. */
export const hasAdvice = (outcome: VerdictOutcome): boolean => outcome !== "pass" && outcome !== "not-exercised";
