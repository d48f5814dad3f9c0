// The documents of the project as text: their parts between `<!-- name -->` and `<!-- /name -->`, their code blocks, their links.
import { readdirSync, readFileSync } from "node:fs";

export const documents: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  "SKILL.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => `docs/${file}`),
];

export const textOf = (file: string): string => readFileSync(file, "utf8");

/** What stands in a part of a document. */
export function partOf(file: string, name: string, text = textOf(file)): string {
  const found = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(text);
  if (!found) throw new Error(`${file} has no part called ${name}`);
  return found[1] as string;
}

export function withPart(file: string, name: string, content: string): string {
  const text = textOf(file);
  return text.replace(
    `<!-- ${name} -->\n${partOf(file, name, text)}<!-- /${name} -->`,
    () => `<!-- ${name} -->\n${content}<!-- /${name} -->`,
  );
}

/** The code of a part that is one block. */
export const codeOf = (file: string, name: string): string =>
  partOf(file, name)
    .replace(/^```\w+\n/, "")
    .replace(/```\n$/, "");

/** The shell blocks, in order; not those behind `<!-- not run: reason -->`. */
export const shellBlocks = (file: string): string[] =>
  [...textOf(file).matchAll(/(<!-- not run: .+ -->\n)?```sh\n([\s\S]*?)```/g)]
    .filter(([, skipped]) => skipped === undefined)
    .map(([, , code]) => code as string);

export const linksOf = (file: string): string[] =>
  [...textOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to as string).filter((to) => !/^https?:/.test(to));

const cell = (words: string) => words.replaceAll("|", "\\|").replaceAll("\n", " ").trim();
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(row), ""].join("\n");
