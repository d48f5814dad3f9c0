// Which tests a program's output says have failed, and what they say: JUnit's XML, TAP, and the reporters of node:test, Vitest, Jest and Mocha, read
// roughly. Nothing is invented: where no line is known, there is no name.
export interface FailedTest {
  name: string;
  /** The line that tells what was expected, where there is one. */
  says?: string;
}

/** TAP, Vitest, Jest, node:test and the like, Mocha, pytest, unittest and Go. */
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
/** TAP writes it as YAML: in quotes, or on the lines below. */
const IN_YAML = /^\s*error: (?:'(.*)'|"(.*)"|[|>]-?)$/;
const SAYS = /^\s*(?:[✖●]\s*)?(?=\S)((?:AssertionError|Error|error:|E {2})\b.*|.*\bexpected\b.*|Expected.*)$/i;

/** Of JUnit's XML, where the reporter writes it: that names tests best. */
const CASE = /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;
const BROKEN = /<(?:failure|error)\b([^>]*)/;

function failedCases(output: string): FailedTest[] {
  return [...output.matchAll(CASE)].flatMap(([, attributes = "", inner = ""]) => {
    const broken = BROKEN.exec(inner);
    if (!broken) return [];
    const says = attributeOf(broken[1] ?? "", "message")
      ?.split("\n")[0]
      ?.trim()
      .slice(0, 160);
    return [{ name: attributeOf(attributes, "name") ?? "", ...(says ? { says } : {}) }];
  });
}

function attributeOf(attributes: string, name: string): string | undefined {
  const [, value] = new RegExp(`(?:^|\\s)${name}\\s*=\\s*"([^"]*)"`).exec(attributes) ?? [];
  return value?.replace(/&(\w+|#\d+);/g, (whole, entity: string) => ENTITIES[entity] ?? codePoint(entity) ?? whole);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const codePoint = (entity: string): string | undefined =>
  /^#\d{1,6}$/.test(entity) ? String.fromCodePoint(Number(entity.slice(1))) : undefined;

/** Names may be missing, and are never invented. */
export function failedTests(output: string): FailedTest[] {
  const cases = failedCases(output);
  return cases.length > 0 ? cases : failedLines(output);
}

function failedLines(output: string): FailedTest[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
  const lines = output.replace(/\x1b\[[0-9;]*m/g, "").split(/\r?\n/);
  const found = new Map<string, FailedTest>();
  for (const [index, line] of lines.entries()) {
    const name = NAMES.map((form) => form.exec(line)?.[1]?.trim()).find((each) => each !== undefined);
    if (name === undefined || NO_NAME.test(name)) continue;
    const says = found.get(name)?.says ?? saysAfter(lines.slice(index + 1, index + 15));
    found.set(name, { name, ...(says === undefined ? {} : { says }) });
  }
  // A suite fails with its tests.
  const all = [...found.values()];
  return all.filter(({ name }) => !all.some((other) => other.name !== name && other.name.endsWith(` > ${name}`)));
}

function saysAfter(lines: readonly string[]): string | undefined {
  const end = lines.findIndex((line) => NAMES.some((form) => form.test(line)));
  const near = end < 0 ? lines : lines.slice(0, end);
  return near
    .map((line) => textOf(line))
    .find((each) => each !== undefined)
    ?.slice(0, 160);
}

function textOf(line: string): string | undefined {
  const yaml = IN_YAML.exec(line);
  return yaml ? (yaml[1] ?? yaml[2]) : SAYS.exec(line)?.[1]?.trim();
}
