// JUnit's XML, as CI servers read it: each check is a case.
import type { Result, Verdict } from "../result.ts";

export function junit({ results, counts, took_ms, no_verdict }: Verdict): string {
  const skipped = counts["not-exercised"] + counts.undecided + counts.ignored;
  const numbers = `tests="${Math.max(1, results.length)}" failures="${counts.fail}" errors="${no_verdict ? 1 : 0}" skipped="${skipped}" time="${seconds(took_ms)}"`;
  const error = no_verdict
    ? [`    <testcase name="the program" classname="verdict"><error message="${escaped(no_verdict.says)}"/></testcase>`]
    : [];
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="sandbox verdict" ${numbers}>`,
    `  <testsuite name="verdict" ${numbers}>`,
    ...error,
    ...results.flatMap(oneCase),
    "  </testsuite>",
    "</testsuites>",
  ].join("\n")}\n`;
}

function oneCase(result: Result): string[] {
  const { id, title, outcome, says, evidence, advice, again, ignored, took_ms } = result;
  const open = `    <testcase name="${escaped(`${id} ${title}`)}" classname="verdict" time="${seconds(took_ms)}"`;
  if (outcome === "pass" && !ignored) return [`${open}/>`];
  const lines = [...evidence.map((each) => `${each.id}: ${each.says}`), `do: ${advice}`, `again: ${again}`].join("\n");
  if (ignored)
    return [`${open}><skipped message="${escaped(`ignored until ${ignored.until}: ${ignored.reason}`)}"/></testcase>`];
  if (outcome === "fail") return [`${open}><failure message="${escaped(says)}">${escaped(lines)}</failure></testcase>`];
  if (outcome === "warn")
    return [`${open}><system-out>${escaped(`warning: ${says}\n${lines}`)}</system-out></testcase>`];
  return [`${open}><skipped message="${escaped(`${outcome}: ${says}`)}"/></testcase>`];
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function escaped(text: string): string {
  const plain = [...text].filter((letter) => letter >= " " || "\n\t".includes(letter)).join("");
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
