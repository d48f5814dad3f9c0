// The tool search_docs finds sections of the documents and shows one.
import { findNearest } from "../../platform/nearest.ts";
import { type Documents, readDocuments, type Section } from "../document-index.ts";
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
