// JUnit's XML, as CI servers read it. The numbers are those of the cases.

/** A case passed where none of the three says otherwise. */
export interface Case {
  name: string;
  ms?: number;
  failure?: { message: string; text?: string };
  error?: string;
  skipped?: string;
  /** What it wrote. */
  output?: string;
}

export interface Suite {
  name: string;
  file?: string;
  /** Of its cases. */
  classname: string;
  ms: number;
  cases: readonly Case[];
}

/** The whole document with its final line break. Times are in milliseconds here, and in seconds there. */
export function junitText(name: string, suites: readonly Suite[], ms: number): string {
  const all = suites.flatMap(({ cases }) => cases);
  // Both levels have the numbers, since servers read one or the other.
  const head = attributes({ name, ...numbersOf(all), time: seconds(ms) });
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites${head}>`, ...suites.flatMap(suiteLines)];
  return `${[...lines, "</testsuites>"].join("\n")}\n`;
}

function suiteLines({ name, file, classname, ms, cases }: Suite): string[] {
  const head = attributes({ name, file, ...numbersOf(cases), time: seconds(ms) });
  return [`  <testsuite${head}>`, ...cases.map((each) => caseLine(each, classname)), "  </testsuite>"];
}

function caseLine({ name, ms, ...outcome }: Case, classname: string): string {
  const head = `    <testcase${attributes({ name, classname, time: ms === undefined ? undefined : seconds(ms) })}`;
  const inner = innerOf(outcome);
  return inner ? `${head}>${inner}</testcase>` : `${head}/>`;
}

function innerOf({ failure, error, skipped, output }: Omit<Case, "name" | "ms">): string {
  const written = output === undefined ? "" : `<system-out>${escaped(output)}</system-out>`;
  // An error is a case that could not be tried, a failure one that went wrong.
  if (error !== undefined) return `<error${attributes({ message: error })}/>${written}`;
  if (skipped !== undefined) return `<skipped${attributes({ message: skipped })}/>${written}`;
  if (!failure) return written;
  const open = `<failure${attributes({ message: failure.message })}`;
  return `${open}${failure.text === undefined ? "/>" : `>${escaped(failure.text)}</failure>`}${written}`;
}

function numbersOf(cases: readonly Case[]): Record<string, number> {
  const count = (of: (each: Case) => unknown) => cases.filter((each) => of(each) !== undefined).length;
  const { length: tests } = cases;
  return { tests, failures: count((c) => c.failure), errors: count((c) => c.error), skipped: count((c) => c.skipped) };
}

const attributes = (of: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(of)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${escaped(String(value))}"`))
    .join("");

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_XML = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff\p{Surrogate}]/gu;

function escaped(text: string): string {
  // XML 1.0 has no way to write control characters, halves of letters and two that are none, not even escaped.
  const plain = text.replace(NO_XML, "");
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
