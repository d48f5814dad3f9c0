// Explains a check: what happens in production, what the check does, and what to write instead.
import type { Check } from "./check.ts";

/** Returns plain text. Code is indented by four spaces, which the command line does not wrap. */
export function explainCheck({ id, level, title, done, rule, harm, explain, advice }: Check): string {
  const { happens, instead, code } = explain;
  return [
    `${id}  ${title}  (${level})`,
    "",
    happens,
    "",
    `Drill:          ${done}`,
    `Rule:           ${rule}`,
    `Harm:           ${harm}`,
    `Write instead:  ${instead}`,
    "",
    ...code.split("\n").map((line) => `    ${line}`),
    "",
    `In short: ${advice}`,
  ].join("\n");
}
