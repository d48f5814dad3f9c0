// Computes the changes of each alternative of an assumption at build time: a patch of the served document, and a patch of each of Prism's
// operations that the alternative changes. A world with the default assumptions needs none of them.
import { applyOverlay, createPatch } from "./overlay.mjs";

/** Other fields are rejected, because an alternative with a misspelt field would change nothing. */
const FIELDS = ["value", "meaning", "overlay"];

/** Returns `{ "id=value": { meaning, document?, operations? } }`, and one sentence for each invalid alternative. */
export async function buildFlips(register, document, readOperations) {
  const byDefault = await readOperations(document);
  const problems = [];
  const flips = {};
  for (const { id, alternatives } of register)
    for (const alternative of alternatives) {
      const name = `${id}=${alternative.value}`;
      try {
        flips[name] = await buildFlip(alternative, document, byDefault, readOperations);
      } catch (error) {
        problems.push(`spec/assumptions.yaml ${name}: ${error.message}`);
      }
    }
  return { flips, problems };
}

async function buildFlip(alternative, document, byDefault, readOperations) {
  const unknown = Object.keys(alternative).find((field) => !FIELDS.includes(field));
  if (unknown) throw new Error(`Unknown field ${unknown} of an alternative. Use one of: ${FIELDS.join(", ")}.`);
  const { meaning, overlay = [] } = alternative;
  if (overlay.length === 0) return { meaning };
  const changed = applyOverlay(document, overlay);
  const changes = { meaning, document: createPatch(document, changed) };
  // If only descriptions differ, Prism validates as before.
  if (JSON.stringify(omitProse(changed)) === JSON.stringify(omitProse(document))) return changes;
  const operations = await readOperations(changed);
  const defaultOperations = new Map(byDefault.map((operation) => [operation.iid, operation]));
  const patches = operations
    .map((operation) => [operation.iid, createPatch(defaultOperations.get(operation.iid), operation)])
    .filter(([, patch]) => patch !== undefined);
  return { ...changes, operations: Object.fromEntries(patches) };
}

const PROSE = [
  ...["description", "example", "examples", "x-assumption", "x-stoplight"],
  ...["x-cli", "x-mcp", "x-words", "x-default", "x-counted"],
];

/** Copies a document without descriptions and examples, which do not affect validation. A property of a schema can have any name. */
export function omitProse(node, isProperties = false) {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((each) => omitProse(each));
  const entries = Object.entries(node).filter(
    ([name, value]) => value !== undefined && (isProperties || !PROSE.includes(name)),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, omitProse(value, name === "properties")]));
}
