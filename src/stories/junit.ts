// Formats results as JUnit XML for CI servers. The totals count the cases.

/** A case without failure, error and skipped has passed. */
export interface Case {
  name: string;
  ms?: number;
  failure?: { message: string; text?: string };
  error?: string;
  skipped?: string;
  /** The output of the case. */
  output?: string;
}

export interface Suite {
  name: string;
  file?: string;
  /** The class name of all cases of the suite. */
  classname: string;
  ms: number;
  cases: readonly Case[];
}

/** Returns the complete document with a final line break. Times are in milliseconds here, and in seconds in the document. */
export function formatJunit(name: string, suites: readonly Suite[], ms: number): string {
  const all = suites.flatMap(({ cases }) => cases);
  // Both levels have the totals, because servers read one or the other.
  const head = formatAttributes({ name, ...countCases(all), time: formatSeconds(ms) });
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites${head}>`, ...suites.flatMap(formatSuite)];
  return `${[...lines, "</testsuites>"].join("\n")}\n`;
}

function formatSuite({ name, file, classname, ms, cases }: Suite): string[] {
  const head = formatAttributes({ name, file, ...countCases(cases), time: formatSeconds(ms) });
  return [`  <testsuite${head}>`, ...cases.map((each) => formatCase(each, classname)), "  </testsuite>"];
}

function formatCase({ name, ms, ...outcome }: Case, classname: string): string {
  const head = `    <testcase${formatAttributes({ name, classname, time: ms === undefined ? undefined : formatSeconds(ms) })}`;
  const inner = formatCaseContent(outcome);
  return inner ? `${head}>${inner}</testcase>` : `${head}/>`;
}

function formatCaseContent({ failure, error, skipped, output }: Omit<Case, "name" | "ms">): string {
  const written = output === undefined ? "" : `<system-out>${escapeXml(output)}</system-out>`;
  // An error is a case that could not run; a failure is a case that ran and failed.
  if (error !== undefined) return `<error${formatAttributes({ message: error })}/>${written}`;
  if (skipped !== undefined) return `<skipped${formatAttributes({ message: skipped })}/>${written}`;
  if (!failure) return written;
  const open = `<failure${formatAttributes({ message: failure.message })}`;
  return `${open}${failure.text === undefined ? "/>" : `>${escapeXml(failure.text)}</failure>`}${written}`;
}

function countCases(cases: readonly Case[]): Record<string, number> {
  const count = (of: (each: Case) => unknown) => cases.filter((each) => of(each) !== undefined).length;
  const { length: tests } = cases;
  return { tests, failures: count((c) => c.failure), errors: count((c) => c.error), skipped: count((c) => c.skipped) };
}

const formatAttributes = (of: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(of)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${escapeXml(String(value))}"`))
    .join("");

const formatSeconds = (ms: number): string => (ms / 1000).toFixed(3);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must find control characters
const NO_XML = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff\p{Surrogate}]/gu;

function escapeXml(text: string): string {
  // XML 1.0 can't contain control characters, lone surrogates and two noncharacters, not even escaped.
  const plain = text.replace(NO_XML, "");
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
