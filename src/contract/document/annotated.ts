// Writes the extensions of a document into its descriptions. Each assumption becomes a note (what is assumed, on what basis,
// the current value, how to change it), each operation names its maturity and scopes, and links lead to the scenarios that
// show a rule. Nothing but descriptions changes, and `x-assumptions` lists the register.
import { type Json, resolve } from "./document.ts";
import { type Assumption, code, NOTE, noteOf } from "./notes.ts";

/** Titles of scenarios, and what each of them shows. A scenario is named by its file. */
export interface Stories {
  titles: Record<string, string>;
  rules: { heading: string; rule: string; scenario: string }[];
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
  const notes = new Map(register.map((entry) => [entry.id, noteOf(entry, query)]));
  const whole = addNotes(document, document, notes) as Json;
  const { info, tags, paths, webhooks } = whole as Record<string, Json> & { tags: Tag[] };
  const rules = groupRules(stories);
  return {
    ...whole,
    info: describeInfo(info as Json, tags, rules),
    tags: tags.map((tag) => ({ ...tag, description: join(tag.description, listRules(rules.get(tag.name))) })),
    paths: mapOperations(paths as Json, (operation) => describeOperation(operation, stories)),
    webhooks: mapOperations(webhooks as Json, (operation, kind) => ({
      ...operation,
      description: join(getText(operation), listScenarios(stories.kinds[kind], stories)),
    })),
    // Programs read the assumptions here instead of the notes.
    "x-assumptions": register,
  };
}

type Tag = { name: string; description: string };
type Rules = Map<string, Stories["rules"]>;

function groupRules({ rules }: Stories): Rules {
  const groups: Rules = new Map();
  for (const rule of rules) groups.set(rule.heading, [...(groups.get(rule.heading) ?? []), rule]);
  return groups;
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
  // Notes stay last, after the added text.
  const [text = "", ...notes] = getText(operation).split(NOTE);
  const words = `${MATURITY[String(operation["x-maturity"] ?? "stable")]} ${describeAccess(operation)}`;
  const answers = stories.operations[String(operation.operationId)] ?? [];
  const lines = answers.map(
    ({ status, code: name, scenarios }) =>
      `- ${status}${name === "" ? "" : ` ${code(name)}`}: ${scenarios.map((each) => linkTo(each, stories)).join("; ")}`,
  );
  const demonstrations = lines.length === 0 ? "" : `Shown by scenarios:\n\n${lines.join("\n")}`;
  return { ...operation, description: join(text, words, demonstrations) + notes.map((note) => NOTE + note).join("") };
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

function listRules(rules: Stories["rules"] | undefined): string {
  if (!rules) return "";
  const lines = rules.map(({ rule, scenario }) => `- [${rule}](/scenarios/${scenario}.yaml)`);
  return `What holds, each with the scenario that shows it:\n\n${lines.join("\n")}`;
}

/** Adds rules whose heading is not a tag to that heading of the introduction, or to its end. */
function describeInfo(info: Json, tags: readonly Tag[], rules: Rules): Json {
  const [text = "", ...notes] = getText(info).split(NOTE);
  // The text is split at headings of the second level.
  const sections = text.split(/^(?=## )/m).map((section) => section.trimEnd());
  for (const [heading, own] of rules) {
    if (tags.some(({ name }) => name === heading)) continue;
    const at = sections.findIndex((section) => section.startsWith(`## ${heading}\n`));
    if (at < 0) sections.push(join(`## ${heading}`, listRules(own)));
    else sections[at] = join(sections[at] ?? "", listRules(own));
  }
  return { ...info, description: sections.join("\n\n") + notes.map((note) => NOTE + note).join("") };
}
