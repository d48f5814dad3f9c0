// For programs: the findings of the command with the results that all checks have.
import type { CheckReport } from "./check-report.ts";

export const json = ({ document, results, counts, no_verdict, profile, exit_code }: CheckReport): string =>
  `${JSON.stringify({ ...document, no_verdict, results, counts, ...(profile ? { profile } : {}), exit_code }, null, 2)}\n`;
