// The documents of the package by section, to be searched and read: README, guides, and what stands in the fixtures.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MiniSearch from "minisearch";

export interface Section {
  /** As in a link: `docs/webhooks.md#verify-the-signature`. */
  id: string;
  title: string;
  text: string;
}

/** `sections` by id, in the order of the files; `search` answers the best first. */
export interface Documents {
  sections: ReadonlyMap<string, Section>;
  search(query: string): Section[];
}

/** More sections fit no page, and the best are in front. */
const MOST_FOUND = 12;
const read = new Map<string, Documents>();

/** They do not change while a program runs. So they are read once for each folder, with the first search. */
export function documentsIn(folder: string): Documents {
  const known = read.get(folder) ?? index(filesIn(folder).flatMap((file) => sectionsOf(folder, file)));
  read.set(folder, known);
  return known;
}

function filesIn(folder: string): string[] {
  const inside = (path: string) => (existsSync(join(folder, path)) ? readdirSync(join(folder, path)) : []);
  const guides = inside("docs").filter((name) => name.endsWith(".md"));
  const fixtures = inside("fixtures").map((name) => `fixtures/${name}/about.md`);
  // What the package holds; a folder or file that is absent is passed over.
  const files = ["README.md", "SKILL.md", ...guides.map((name) => `docs/${name}`), ...fixtures];
  return files.filter((file) => existsSync(join(folder, file)));
}

function sectionsOf(folder: string, file: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [];
  let fenced = false;
  for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
    // A comment of a shell in a block begins with # too.
    if (line.startsWith("```")) fenced = !fenced;
    const heading = fenced ? undefined : /^#{1,3} (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, lines: [] });
    // Marks of generated parts are no text.
    else if (!/^<!-- .* -->$/.test(line)) sections.at(-1)?.lines.push(line);
  }
  const whole = sections[0]?.heading ?? file;
  return sections.map(({ heading, lines }, at) => ({
    id: at === 0 ? file : `${file}#${anchorOf(heading)}`,
    title: at === 0 ? whole : `${whole}: ${heading}`,
    text: lines.join("\n").trim(),
  }));
}

/** As GitHub makes the anchors of headings, so that links in the documents are ids here. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

function index(all: readonly Section[]): Documents {
  const sections = new Map(all.map((section) => [section.id, section]));
  const search = new MiniSearch<Section>({
    fields: ["title", "text"],
    processTerm: (term) => partsOf(term),
    // A word in a title says more; short words have no prefixes, or "a" would find all.
    searchOptions: { boost: { title: 3 }, prefix: (term) => term.length > 3, fuzzy: 0.1 },
  });
  search.addAll([...sections.values()]);
  return {
    sections,
    search: (query) =>
      search
        .search(query)
        .slice(0, MOST_FOUND)
        .flatMap(({ id }) => sections.get(id as string) ?? []),
  };
}

/** `createBooking` is found by "booking" too. */
const partsOf = (term: string): string[] => [
  ...new Set([term, ...term.split(/(?<=[a-z])(?=[A-Z])|[_.-]/)].map((part) => part.toLowerCase()).filter(Boolean)),
];
