// The words of a scenario file as the documents list them: what spec/scenario.schema.json says of each, and of the stories
// that have every word (test/docs/words/) the place where it stands.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Document, parse, visit } from "yaml";
import { table } from "./markdown.ts";
import { scenarioSchema } from "./scenario-schema.ts";

const WIDEST = 50;

/** Stories with every word. */
export const WORDS = "test/docs/words";

interface Described {
  description?: string;
  $ref?: string;
  properties?: Record<string, Described>;
}

const schema = JSON.parse(scenarioSchema().text) as { $defs: { Advance: { anyOf: unknown[] } } };
const whole = schema as unknown as Described & { $defs: Record<string, Described> };
const { Step, Repeat, Receiver, Expect, Matcher, Reference } = whole.$defs;
const way = (schema.$defs.Advance.anyOf as Described[])[1];

/** A heading, whose members are listed, and what stands before a member in its path. */
const lists: readonly [heading: string, of: Described | undefined, within: RegExp, only?: RegExp][] = [
  ["The file", whole, /^$/, /^(?!\$schema)/],
  ["Of `server`", whole.properties?.server, /^server$/],
  ["A step", Step, /(^|\/)steps$/],
  ["Of `repeat`, beside the members of a step", Repeat, /\/repeat$/, /^(times|parallel|steps)$/],
  ["Of `advance`", way, /\/advance$/],
  ["Of `receiver`", Receiver, /\/receiver$/],
  ["Of `expect`", Expect, /\/expect$/],
  ["Matchers", Matcher, /\/expect\b/],
];

export function scenarioWords(): string {
  const parts = lists.map(([heading, of, within, only = /^/]) => {
    const words = Object.entries(of?.properties ?? {}).filter(([word]) => only.test(word));
    const rows = words.map(([word, about]) => [`\`${word}\``, meaningOf(about), exampleOf(word, within)]);
    return `### ${heading}\n\n${table(["word", "meaning", "example"], rows)}`;
  });
  const references = Object.entries(Reference?.properties ?? {}).map(([root, about]) => [
    `\`\${${root}}\``,
    meaningOf(about),
    view(
      occurrences.filter(({ text }) => text.includes(`\${${root}`)),
      root,
    ),
  ]);
  return [
    ...parts,
    `### References\n\n${Reference?.description}\n\n${table(["root", "meaning", "example"], references)}`,
  ].join("\n");
}

const meaningOf = ({ description, $ref = "" }: Described): string =>
  description ?? whole.$defs[$ref.split("/").at(-1) ?? ""]?.description ?? "";

/** A member of a story: where it stands, and as YAML on one line. */
interface Occurrence {
  word: string;
  within: string;
  text: string;
}

const occurrences: readonly Occurrence[] = readdirSync(WORDS)
  .sort()
  .flatMap((file) => membersIn(parse(readFileSync(join(WORDS, file), "utf8")), ""));

function membersIn(value: unknown, within: string): Occurrence[] {
  if (Array.isArray(value)) return value.flatMap((each) => membersIn(each, within));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([word, each]) => [
    { word, within, text: onOneLine({ [word]: each }) },
    ...membersIn(each, within === "" ? word : `${within}/${word}`),
  ]);
}

function onOneLine(value: object): string {
  const document = new Document(value);
  visit(document, {
    Collection: (key, node) => {
      node.flow = key !== null;
    },
  });
  return document.toString({ lineWidth: 0 }).trimEnd();
}

function exampleOf(word: string, within: RegExp): string {
  return view(
    occurrences.filter((each) => each.word === word && within.test(each.within)),
    word,
  );
}

/** What says most in a cell of a table. */
function view(found: readonly Occurrence[], word: string): string {
  const [first, ...longer] = [...found].sort((a, b) => a.text.length - b.text.length);
  if (!first) throw new Error(`no story of ${WORDS} has an example of ${word}`);
  const { text } = longer.findLast((each) => each.text.length <= WIDEST) ?? first;
  return `\`${text}\``;
}
