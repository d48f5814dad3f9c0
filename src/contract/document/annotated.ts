// Writes the extensions of a document into its descriptions. Each assumption becomes a note (what is assumed, on what basis,
// the current value, how to change it), each operation names its maturity and scopes, and links lead to the scenarios that
// show a response. Nothing but descriptions changes, and `x-assumptions` lists the register.
import { type Json, resolve } from "./document.ts";

/** An entry of the list of assumptions, with its current value. */
export interface Assumption {
  id: string;
  gap: string;
  /** A sentence about what applies. */
  holds: string;
  basis: readonly string[];
  value: string;
  default: string;
  others: readonly { value: string; meaning: string }[];
}

/** Titles of scenarios, and what each of them shows. A scenario is named by its file. */
export interface Stories {
  titles: Record<string, string>;
  operations: Record<string, { status: string; code: string; scenarios: string[] }[]>;
  kinds: Record<string, string[]>;
}

/** The promises of the maturity labels, by the published policy on versions. */
const MATURITY: Readonly<Record<string, string>> = {
  preview: "**Preview**: published for feedback; production does not serve it yet.",
  alpha: "**Alpha**: production serves it; it may change without a grace period.",
  stable: "**Stable**: a breaking change comes with a grace period.",
};

/** Links are paths of the sandbox; `query` names the world in them. */
export function annotate(document: Json, register: readonly Assumption[], stories: Stories, query: string): Json {
  const notes = new Map(register.map((entry) => [entry.id, formatNote(entry, query)]));
  const described = {
    ...document,
    paths: mapOperations(document.paths as Json, (operation) => describeOperation(operation, stories)),
    webhooks: mapOperations(document.webhooks as Json, (operation, kind) => ({
      ...operation,
      description: join(getText(operation), listScenarios(stories.kinds[kind], stories)),
    })),
  };
  // The notes follow the other text. Programs read the assumptions in the list instead of the notes.
  return { ...(addNotes(described, document, notes) as Json), "x-assumptions": register };
}

const getText = (node: Json): string => String(node.description ?? "").trimEnd();
const join = (...parts: string[]): string => parts.filter((part) => part !== "").join("\n\n");

/** Returns the same value with a note at each citation of an assumption. */
function addNotes(node: unknown, document: Json, notes: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(node)) return node.map((each) => addNotes(each, document, notes));
  if (typeof node !== "object" || node === null) return node;
  const members = Object.entries(node).map(([name, value]) => [name, addNotes(value, document, notes)]);
  const all = Object.fromEntries(members) as Json;
  // A node cites one or several assumptions.
  const cited = [all["x-assumption"] ?? []].flat().map(String);
  if (cited.length === 0) return all;
  // A description beside a reference replaces the one that is referred to.
  const own = getText("description" in all ? all : resolve<Json>(all, document));
  return { ...all, description: own + cited.map((id) => notes.get(id) ?? "").join("") };
}

function mapOperations(items: Json, change: (operation: Json, path: string) => Json): Json {
  const changed = Object.entries(items).map(([path, item]) => {
    // A path item has other members too, such as parameters.
    const members = Object.entries(item as Json).map(([name, node]) =>
      (node as Json).operationId === undefined ? [name, node] : [name, change(node as Json, path)],
    );
    return [path, Object.fromEntries(members)];
  });
  return Object.fromEntries(changed);
}

function describeOperation(operation: Json, stories: Stories): Json {
  const words = `${MATURITY[String(operation["x-maturity"] ?? "stable")]} ${describeAccess(operation)}`;
  const answers = stories.operations[String(operation.operationId)] ?? [];
  const lines = answers.map(
    ({ status, code: name, scenarios }) =>
      `- ${status}${name === "" ? "" : ` ${code(name)}`}: ${scenarios.map((each) => linkTo(each, stories)).join("; ")}`,
  );
  const demonstrations = lines.length === 0 ? "" : `Shown by scenarios:\n\n${lines.join("\n")}`;
  return { ...operation, description: join(getText(operation), words, demonstrations) };
}

function describeAccess({ security = [] }: { security?: { oauth2?: string[] }[] }): string {
  const [scheme] = security;
  if (!scheme?.oauth2) return "It takes no token.";
  if (scheme.oauth2.length === 0) return "It takes any valid token.";
  return `It needs a token with the scope ${scheme.oauth2.map(code).join(" and ")}.`;
}

const linkTo = (scenario: string, { titles }: Stories): string => `[${titles[scenario]}](/scenarios/${scenario}.yaml)`;

function listScenarios(scenarios: readonly string[] | undefined, stories: Stories): string {
  if (!scenarios) return "";
  return `Shown by scenarios: ${scenarios.map((each) => linkTo(each, stories)).join("; ")}.`;
}

const NOTE = "\n\n> **Assumed: ";

const BASIS: Readonly<Record<string, string>> = {
  published: "published material",
  "client-traffic": "what known clients send",
  standard: "a standard",
  "own-choice": "our own choice",
};

const code = (text: string): string => `\`${text}\``;

/** Formats the note of an assumption. `query` names the world in the link to the screen that can override it. */
function formatNote({ id, gap, holds, basis, value, default: byDefault, others }: Assumption, query: string): string {
  const why = basis.map((each) => BASIS[each] ?? each).join(" and ");
  const inForce = value === byDefault ? code(value) : `${code(value)}, which is not the default`;
  const flips = others.map((other) => `${code(other.value)} (${omitStop(other.meaning)})`).join(", ");
  const [first] = others;
  const flip = first
    ? `Other values: ${flips}. Override it with \`sandbox assume ${id}=${first.value}\`.`
    : "There is no other value.";
  return `${NOTE}[${id}](/_sandbox/ui/assumptions/${id}${query}).** ${toOneLine(gap)} ${toOneLine(holds)}\n>\n> Basis: ${why}. In force: ${inForce}. ${flip}`;
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();
const omitStop = (text: string): string => toOneLine(text).replace(/\.$/, "");
