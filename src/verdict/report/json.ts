// For programs: the verdict as it is.
import type { Verdict } from "../result.ts";

export const json = (verdict: Verdict): string => `${JSON.stringify(verdict, null, 2)}\n`;
