// search_docs: finds sections of the documents, and shows one.
import { findNearest } from "../../platform/nearest.ts";
import { type Documents, documentsIn, type Section } from "../document-index.ts";
import { callOf, defineTool, ToolRejection } from "../tool.ts";

export const searchDocs = defineTool({
  name: "search_docs",
  title: "Search the documentation",
  description:
    "Finds sections of the sandbox's documentation by `query` (webhooks, clock, faults, refusal codes, ids of the fixture), or shows the one named by `section`.",
  takes: {
    query: {
      description: "A few words, such as: verify webhook signature",
      type: "string",
      minLength: 1,
      maxLength: 200,
    },
    section: { description: "The name of a section, from an earlier search.", type: "string", maxLength: 200 },
  },
  example: { query: "verify webhook signature" },
  async run({ query, section }, { folder }) {
    const documents = documentsIn(folder);
    // A name wins over a search: an earlier answer gave it.
    if (section !== undefined) return sectionLines(documents, section);
    if (query === undefined) return ["The documents:", ...tableOf(documents), "", HOW];
    const found = documents.search(query);
    if (found.length > 0) return [...found.map(inBrief), "", HOW];
    const tries = [callOf("search_docs", { query: "webhooks" }), callOf("search_docs", {})];
    throw new ToolRejection(`No section is about ${JSON.stringify(query)}. Use fewer or other words.`, tries);
  },
});

const HOW = `Read one: ${callOf("search_docs", { section: "docs/webhooks.md" })}`;

function sectionLines({ sections }: Documents, id: string): string[] {
  const section = sections.get(id);
  if (!section) {
    const meant = findNearest(id, sections.keys());
    const search = callOf("search_docs", meant === undefined ? {} : { section: meant });
    throw new ToolRejection(`There is no section ${JSON.stringify(id)}.`, [search]);
  }
  const [file = ""] = id.split("#");
  // The first section of a file shows the others; they are read one by one.
  const inside = id === file ? [...sections.keys()].filter((each) => each.startsWith(`${file}#`)) : [];
  return [
    `# ${section.title}`,
    section.text,
    ...(inside.length > 0 ? ["", "Its sections:", ...inside.map((each) => `- ${each}`)] : []),
  ];
}

const tableOf = ({ sections }: Documents): string[] =>
  [...sections.values()].filter(({ id }) => !id.includes("#")).map(({ id, title }) => `- ${id}: ${title}`);

function inBrief({ id, title, text }: Section): string {
  const words = text
    // Code is a poor summary.
    .replace(/```[\s\S]*?```/g, "")
    .replace(/\s+/g, " ")
    .slice(0, 160);
  return `- ${id}: ${title}. ${words}`;
}
