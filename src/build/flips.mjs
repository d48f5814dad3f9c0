// The changes that each alternative of the register makes, computed at build time: a patch of the served document, and a patch of each
// of Prism's operations that it changes. A world with the default assumptions needs none of them.
import { overlaid, patchBetween } from "./overlay.mjs";
import { problemsOfDocument, problemsOfOperations } from "./schemas.mjs";

/** A misspelt member would be ignored, and the alternative would change nothing. */
const MEMBERS = ["value", "meaning", "overlay"];

/** `{ "id=value": { meaning, document?, operations? } }`, and a sentence for each invalid alternative. */
export async function flipsOf(register, document, operationsOf) {
  const byDefault = await operationsOf(document);
  const problems = [];
  const flips = {};
  for (const { id, alternatives } of register)
    for (const alternative of alternatives) {
      const name = `${id}=${alternative.value}`;
      try {
        flips[name] = await flipOf(alternative, document, byDefault, operationsOf);
      } catch (error) {
        problems.push(`spec/assumptions.yaml ${name}: ${error.message}`);
      }
    }
  return { flips, problems };
}

async function flipOf(alternative, document, byDefault, operationsOf) {
  const unknown = Object.keys(alternative).find((member) => !MEMBERS.includes(member));
  if (unknown) throw new Error(`An alternative has no member ${unknown}. It has: ${MEMBERS.join(", ")}.`);
  const { meaning, overlay = [] } = alternative;
  if (overlay.length === 0) return { meaning };
  const other = overlaid(document, overlay);
  const changes = { meaning, document: patchBetween(document, other) };
  // Only descriptions differ, so Prism validates as before.
  if (bare(other) === bare(document)) return changes;
  const operations = await operationsOf(other);
  const known = new Map(byDefault.map((operation) => [operation.iid, operation]));
  const patches = operations
    .map((operation) => [operation.iid, patchBetween(known.get(operation.iid), operation)])
    .filter(([, patch]) => patch !== undefined);
  const changed = new Set(patches.map(([iid]) => iid));
  const problems = [
    ...problemsOfDocument(other, "the document").problems,
    // The others have been compiled: compiling is half of the time that all of this takes.
    ...problemsOfOperations(
      operations.filter(({ iid }) => changed.has(iid)),
      "its operations",
    ),
  ];
  if (problems.length > 0) throw new Error(`The overlay makes a document that is refused: ${problems.join(" ")}`);
  return { ...changes, operations: Object.fromEntries(patches) };
}

/** What two documents have in common if they validate the same. */
const bare = (document) => JSON.stringify(withoutProse(document));

const PROSE = [
  ...["description", "example", "examples", "x-assumption", "x-stoplight"],
  ...["x-cli", "x-mcp", "x-words", "x-default", "x-counted"],
];

/** A copy with what validates and without descriptions and examples; a property of a schema may have any name. */
export function withoutProse(node, namesAreOurs = false) {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((each) => withoutProse(each));
  const entries = Object.entries(node).filter(
    ([name, value]) => value !== undefined && (namesAreOurs || !PROSE.includes(name)),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutProse(value, name === "properties")]));
}
