// Computes the changes of each alternative of an assumption at build time: a patch of the served document, and a patch of each of Prism's
// operations that the alternative changes. A world with the default assumptions needs none of them. The alternative describes its changes
// by actions as in OpenAPI Overlay 1.0, with targets made of names, indices and `*`.
import { readItemName } from "../contract/document/item-name.mjs";
import { addDateTimePatterns, omitProse, readOperations } from "./operations.mjs";

/** Returns `{ "id=value": { meaning, document?, operations? } }`. Throws an error that names the first invalid alternative. */
export async function buildFlips(register, document) {
  const defaultOperations = await readPatternedOperations(document);
  const flips = {};
  for (const { id, alternatives } of register)
    for (const alternative of alternatives) {
      const name = `${id}=${alternative.value}`;
      try {
        flips[name] = await buildFlip(alternative, document, defaultOperations);
      } catch (error) {
        throw new Error(`spec/assumptions.yaml ${name}: ${error.message}`);
      }
    }
  return flips;
}

const readPatternedOperations = async (document) => addDateTimePatterns(await readOperations(document));

async function buildFlip({ value: _, meaning, overlay, ...others }, document, defaultOperations) {
  // An alternative with a misspelt field would change nothing.
  const [unknown] = Object.keys(others);
  if (unknown) throw new Error(`Unknown field ${unknown} of an alternative. Use one of: value, meaning, overlay.`);
  if (!overlay) return { meaning };
  const changed = applyOverlay(document, overlay);
  const changes = { meaning, document: createPatch(document, changed) };
  // If only descriptions differ, Prism validates as before.
  if (JSON.stringify(omitProse(changed)) === JSON.stringify(omitProse(document))) return changes;
  const before = new Map(defaultOperations.map((operation) => [operation.iid, operation]));
  const patches = (await readPatternedOperations(changed))
    .map((operation) => [operation.iid, createPatch(before.get(operation.iid), operation)])
    .filter(([, patch]) => patch !== undefined);
  return { ...changes, operations: Object.fromEntries(patches) };
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a copy of the document after the actions. */
export function applyOverlay(document, actions) {
  const copy = structuredClone(document);
  for (const action of actions) applyAction(copy, action);
  return copy;
}

function applyAction(document, { target, description: _, update, remove, ...others }) {
  const [unknown] = Object.keys(others);
  if (unknown)
    throw new Error(`Unknown field ${unknown} of an action. Use one of: target, description, update, remove.`);
  if ((update === undefined) === (remove !== true))
    throw new Error(`The action on ${target} must have either update or remove: true.`);
  const targets = findTargets(document, target);
  // An action without a target would silently change nothing.
  if (targets.length === 0) throw new Error(`The target ${target} matches nothing in the document.`);
  // The last target is removed first, so that removing from a list does not shift the others.
  for (const { holder, key } of targets.reverse()) {
    if (!remove) holder[key] = mergeUpdate(holder[key], update);
    else if (Array.isArray(holder)) holder.splice(key, 1);
    else delete holder[key];
  }
}

function findTargets(document, target) {
  return parseTarget(target).reduce(
    (targets, step) =>
      targets.flatMap(({ holder, key }) => {
        const node = holder[key];
        if (typeof node !== "object" || node === null) return [];
        if (step === "*") return Object.keys(node).map((each) => ({ holder: node, key: each }));
        return Object.hasOwn(node, step) ? [{ holder: node, key: step }] : [];
      }),
    [{ holder: { $: document }, key: "$" }],
  );
}

/** `$.paths['/v1/me'].get` → ["paths", "/v1/me", "get"] */
function parseTarget(target) {
  const steps = [...target.matchAll(/\.([\w-]+|\*)|\['([^']+)'\]|\[(\d+)\]/g)];
  if (target !== `$${steps.map(([text]) => text).join("")}`)
    throw new Error(
      `The target ${target} is not a valid path. Write it like $.components.schemas.Name or $.paths['/v1/me'].get.`,
    );
  return steps.map(([, name, quoted, index]) => name ?? quoted ?? index);
}

/** Objects are merged, lists are appended to, and anything else is replaced. */
function mergeUpdate(node, update) {
  if (Array.isArray(node)) return [...node, ...[update].flat()];
  if (!isObject(node) || !isObject(update)) return update;
  const entries = Object.entries(update).map(([name, value]) => [
    name,
    Object.hasOwn(node, name) ? mergeUpdate(node[name], value) : value,
  ]);
  return { ...node, ...Object.fromEntries(entries) };
}

/**
 * Returns the patch from one value to another for src/engine/http/in-force.ts: a JSON merge patch (RFC 7396) that patches the items of a list
 * by name. Returns undefined if the values are equal.
 */
export function createPatch(before, after) {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  const [from, to] = [mapItems(before), mapItems(after)];
  if (!from || !to || Array.isArray(before) !== Array.isArray(after)) return after;
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changes = names.map((name) => [name, name in to ? createPatch(from[name], to[name]) : null]);
  return Object.fromEntries(changes.filter(([, change]) => change !== undefined));
}

/** Maps the items of a list by name, if all names differ. An object is returned unchanged. */
function mapItems(value) {
  if (isObject(value)) return value;
  if (!Array.isArray(value)) return undefined;
  const items = new Map(value.map((item) => [readItemName(item), item]));
  return items.size === value.length && !items.has(undefined) ? Object.fromEntries(items) : undefined;
}

/** Formats the values of each assumption as a TypeScript type. */
export function formatValueTypes(register) {
  const rows = register.map(({ id, default: byDefault, alternatives }) => {
    const values = [byDefault, ...alternatives.map(({ value }) => value)].map((value) => JSON.stringify(`${value}`));
    return `  ${JSON.stringify(id)}?: ${values.join(" | ")};`;
  });
  return `export interface AssumptionValues {\n${rows.join("\n")}\n}\n`;
}
