// The tool search_docs finds sections of the package's documents and shows one: of the README, the guides, and the descriptions of the fixtures.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MiniSearch from "minisearch";
import { findNearest } from "../../platform/nearest.ts";
import { createInput, formatCall, type Tool, ToolRejection } from "../tool.ts";

export const searchDocs: Tool = {
  name: "search_docs",
  title: "Search the documentation",
  description:
    "Finds sections of the sandbox's documentation by `query` (webhooks, clock, faults, error codes, ids of the fixture), or shows the one named by `section`.",
  input: createInput({
    query: {
      description: "A few words, such as: verify webhook signature",
      type: "string",
      minLength: 1,
      maxLength: 200,
    },
    section: { description: "The name of a section, from an earlier search.", type: "string", maxLength: 200 },
  }),
  example: { query: "verify webhook signature" },
  async run({ query, section }: { query?: string; section?: string }, { folder }) {
    const documents = readDocuments(folder);
    // A section takes precedence over a query, because an earlier result named it.
    if (section !== undefined) return showSection(documents, section);
    if (query === undefined) return ["The documents:", ...listDocuments(documents), "", READ_SECTION];
    const found = documents.search(query);
    if (found.length > 0) return [...found.map(summarizeSection), "", READ_SECTION];
    const tries = [formatCall("search_docs", { query: "webhooks" }), formatCall("search_docs", {})];
    throw new ToolRejection(`No section matches ${JSON.stringify(query)}. Use fewer or other words.`, tries);
  },
};

const READ_SECTION = `Read a section: ${formatCall("search_docs", { section: "docs/webhooks.md" })}`;

function showSection({ sections }: Documents, id: string): string[] {
  const section = sections.get(id);
  if (!section) {
    const nearest = findNearest(id, sections.keys());
    const search = formatCall("search_docs", nearest === undefined ? {} : { section: nearest });
    throw new ToolRejection(`There is no section ${JSON.stringify(id)}.`, [search]);
  }
  const [file = ""] = id.split("#");
  // The first section of a file lists the others, which are read one at a time.
  const inside = id === file ? [...sections.keys()].filter((each) => each.startsWith(`${file}#`)) : [];
  return [
    `# ${section.title}`,
    section.text,
    ...(inside.length > 0 ? ["", "Its sections:", ...inside.map((each) => `- ${each}`)] : []),
  ];
}

const listDocuments = ({ sections }: Documents): string[] =>
  [...sections.values()].filter(({ id }) => !id.includes("#")).map(({ id, title }) => `- ${id}: ${title}`);

function summarizeSection({ id, title, text }: Section): string {
  const words = text
    // Code blocks are removed, because they make a poor summary.
    .replace(/```[\s\S]*?```/g, "")
    .replace(/\s+/g, " ")
    .slice(0, 160);
  return `- ${id}: ${title}. ${words}`;
}

interface Section {
  /** The path and anchor of a link: `docs/webhooks.md#verify-the-signature`. */
  id: string;
  title: string;
  text: string;
}

type Documents = ReturnType<typeof createIndex>;

/** The limit keeps the result on one page. */
const MAX_FOUND = 12;
const cache = new Map<string, Documents>();

/** Reads the documents of a folder once, with the first search, because they don't change while a program runs. */
function readDocuments(folder: string): Documents {
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
