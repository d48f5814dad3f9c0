// A check as a lesson: what happens in real life, what is done to the program, what to write instead.
import type { Check } from "./check.ts";

/** Plain text; the code is indented by four, which the command line does not fold. */
export function explained({ id, level, title, done, rule, harm, explain, advice }: Check): string {
  const { happens, instead, code } = explain;
  return [
    `${id}  ${title}  (${level})`,
    "",
    happens,
    "",
    `What is done:   ${done}`,
    `It rests on:    ${rule}`,
    `Harm:           ${harm}`,
    `Write instead:  ${instead}`,
    "",
    ...code.split("\n").map((line) => `    ${line}`),
    "",
    `In short: ${advice}`,
  ].join("\n");
}
