// Finds the failed tests in a program's output: JUnit XML, TAP, and the reporters of common test runners. Unknown
// formats result in no names.
export interface FailedTest {
  name: string;
  /** The line with the expectation, if there is one. */
  says?: string;
}

/** The formats of TAP, Vitest, Jest, node:test, Mocha, pytest, unittest and Go. */
const NAMES: readonly RegExp[] = [
  /^\s*not ok \d+ - (.+?)(?: # .*)?$/,
  /^\s*FAIL\s+\S+ > (.+)$/,
  /^\s*● (.+)$/,
  /^\s*[✖✗×] (.+?)(?: \(?\d[\d.]*\s?ms\)?)?$/u,
  /^\s*\d+\) (.+)$/,
  /^FAILED \S+::(\S+)/,
  /^FAIL: (\S+)/,
];
/** Titles and file names look like tests. */
const NO_NAME = /^(failing tests:|.*\.(test|spec)\.[cm]?[jt]sx?( .*)?|.*\/[\w.-]+\.[cm]?[jt]sx?)$/;
/** TAP writes the error as YAML, in quotes or on the following lines. */
const IN_YAML = /^\s*error: (?:'(.*)'|"(.*)"|[|>]-?)$/;
const SAYS = /^\s*(?:[✖●]\s*)?(?=\S)((?:AssertionError|Error|error:|E {2})\b.*|.*\bexpected\b.*|Expected.*)$/i;

/** JUnit XML is preferred, because it names tests exactly. */
const CASE = /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;
const BROKEN = /<(?:failure|error)\b([^>]*)/;

function parseJUnitCases(output: string): FailedTest[] {
  return [...output.matchAll(CASE)].flatMap(([, attributes = "", inner = ""]) => {
    const broken = BROKEN.exec(inner);
    if (!broken) return [];
    const says = readAttribute(broken[1] ?? "", "message")
      ?.split("\n")[0]
      ?.trim()
      .slice(0, 160);
    return [{ name: readAttribute(attributes, "name") ?? "", ...(says ? { says } : {}) }];
  });
}

function readAttribute(attributes: string, name: string): string | undefined {
  const [, value] = new RegExp(`(?:^|\\s)${name}\\s*=\\s*"([^"]*)"`).exec(attributes) ?? [];
  return value?.replace(
    /&(\w+|#\d+);/g,
    (whole, entity: string) => ENTITIES[entity] ?? decodeCodePoint(entity) ?? whole,
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const decodeCodePoint = (entity: string): string | undefined =>
  /^#\d{1,6}$/.test(entity) ? String.fromCodePoint(Number(entity.slice(1))) : undefined;

/** Some failed tests may be missing from the result. */
export function findFailedTests(output: string): FailedTest[] {
  const cases = parseJUnitCases(output);
  return cases.length > 0 ? cases : parseFailedLines(output);
}

function parseFailedLines(output: string): FailedTest[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
  const lines = output.replace(/\x1b\[[0-9;]*m/g, "").split(/\r?\n/);
  const found = new Map<string, FailedTest>();
  for (const [index, line] of lines.entries()) {
    const name = NAMES.map((form) => form.exec(line)?.[1]?.trim()).find((each) => each !== undefined);
    if (name === undefined || NO_NAME.test(name)) continue;
    const says = found.get(name)?.says ?? findExplanation(lines.slice(index + 1, index + 15));
    found.set(name, { name, ...(says === undefined ? {} : { says }) });
  }
  // A suite that fails because of its tests is omitted.
  const all = [...found.values()];
  return all.filter(({ name }) => !all.some((other) => other.name !== name && other.name.endsWith(` > ${name}`)));
}

function findExplanation(lines: readonly string[]): string | undefined {
  const end = lines.findIndex((line) => NAMES.some((form) => form.test(line)));
  const near = end < 0 ? lines : lines.slice(0, end);
  return near
    .map((line) => parseExplanation(line))
    .find((each) => each !== undefined)
    ?.slice(0, 160);
}

function parseExplanation(line: string): string | undefined {
  const yaml = IN_YAML.exec(line);
  return yaml ? (yaml[1] ?? yaml[2]) : SAYS.exec(line)?.[1]?.trim();
}
