// Indexes the documents of the package by section: the README, the guides, and the descriptions of the fixtures.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MiniSearch from "minisearch";

export interface Section {
  /** The path and anchor of a link: `docs/webhooks.md#verify-the-signature`. */
  id: string;
  title: string;
  text: string;
}

export type Documents = ReturnType<typeof createIndex>;

/** The limit keeps the result on one page. */
const MAX_FOUND = 12;
const cache = new Map<string, Documents>();

/** Reads the documents of a folder once, with the first search, because they don't change while a program runs. */
export function readDocuments(folder: string): Documents {
  const documents = cache.get(folder) ?? createIndex(listFiles(folder).flatMap((file) => readSections(folder, file)));
  cache.set(folder, documents);
  return documents;
}

function listFiles(folder: string): string[] {
  const listFolder = (path: string) => (existsSync(join(folder, path)) ? readdirSync(join(folder, path)) : []);
  const guides = listFolder("docs").filter((name) => name.endsWith(".md"));
  const fixtures = listFolder("fixtures").map((name) => `fixtures/${name}/about.md`);
  const files = ["README.md", "SKILL.md", ...guides.map((name) => `docs/${name}`), ...fixtures];
  return files.filter((file) => existsSync(join(folder, file)));
}

function readSections(folder: string, file: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [];
  let isInCodeBlock = false;
  for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
    // A shell comment in a code block also starts with #.
    if (line.startsWith("```")) isInCodeBlock = !isInCodeBlock;
    const heading = isInCodeBlock ? undefined : /^#{1,3} (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, lines: [] });
    // The marks of generated parts are removed.
    else if (!/^<!-- .* -->$/.test(line)) sections.at(-1)?.lines.push(line);
  }
  const documentTitle = sections[0]?.heading ?? file;
  return sections.map(({ heading, lines }, at) => ({
    id: at === 0 ? file : `${file}#${toAnchor(heading)}`,
    title: at === 0 ? documentTitle : `${documentTitle}: ${heading}`,
    text: lines.join("\n").trim(),
  }));
}

/** Converts a heading to its anchor on GitHub, so that links in the documents are valid ids. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

/** `sections` are keyed by id, in the order of the files. `search` returns the best matches first. */
function createIndex(all: readonly Section[]) {
  const sections = new Map(all.map((section) => [section.id, section]));
  const search = new MiniSearch<Section>({
    fields: ["title", "text"],
    processTerm: (term) => splitTerm(term),
    // Titles have more weight. Short words match no prefixes, because "a" would match everything.
    searchOptions: { boost: { title: 3 }, prefix: (term) => term.length > 3, fuzzy: 0.1 },
  });
  search.addAll([...sections.values()]);
  return {
    sections,
    search: (query: string): Section[] =>
      search
        .search(query)
        .slice(0, MAX_FOUND)
        .flatMap(({ id }) => sections.get(id as string) ?? []),
  };
}

/** Splits a term into its parts, so that "booking" also finds `createBooking`. */
const splitTerm = (term: string): string[] => [
  ...new Set([term, ...term.split(/(?<=[a-z])(?=[A-Z])|[_.-]/)].map((part) => part.toLowerCase()).filter(Boolean)),
];
