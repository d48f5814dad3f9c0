// Applies the overlay of an alternative to the document: actions as in OpenAPI Overlay 1.0, with targets made of names, indices and `*`.
// A target that matches nothing is rejected, because its action would silently change nothing.
const STEP = /\.([\w-]+|\*)|\['([^']+)'\]|\[(\d+)\]/y;
const FIELDS = ["target", "description", "update", "remove"];

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a copy of the document after the actions. */
export function applyOverlay(document, actions) {
  const copy = structuredClone(document);
  for (const action of actions) applyAction(copy, action);
  return copy;
}

function applyAction(document, action) {
  const unknown = Object.keys(action).find((name) => !FIELDS.includes(name));
  if (unknown) throw new Error(`Unknown field ${unknown} of an action. Use one of: ${FIELDS.join(", ")}.`);
  if ((action.update === undefined) === (action.remove !== true))
    throw new Error(`The action on ${action.target} must have either update or remove: true.`);
  const targets = findTargets(document, action.target);
  if (targets.length === 0) throw new Error(`The target ${action.target} matches nothing in the document.`);
  // The last target is removed first, so that removing from a list does not shift the others.
  for (const { holder, key } of targets.reverse()) {
    if (!action.remove) holder[key] = mergeUpdate(holder[key], action.update);
    else if (Array.isArray(holder)) holder.splice(key, 1);
    else delete holder[key];
  }
}

function findTargets(document, target) {
  const root = { "": document };
  return parseTarget(target).reduce(
    (targets, step) =>
      targets.flatMap(({ holder, key }) => {
        const node = holder[key];
        if (typeof node !== "object" || node === null) return [];
        if (step === "*") return Object.keys(node).map((each) => ({ holder: node, key: each }));
        return Object.hasOwn(node, step) ? [{ holder: node, key: step }] : [];
      }),
    [{ holder: root, key: "" }],
  );
}

/** `$.paths['/v1/me'].get` → ["paths", "/v1/me", "get"] */
function parseTarget(target) {
  const steps = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < target.length) {
    const [, name, quoted, index] = STEP.exec(target) ?? [];
    const step = name ?? quoted ?? index;
    if (step === undefined || !target.startsWith("$"))
      throw new Error(
        `The target ${target} is not a valid path. Write it like $.components.schemas.Name or $.paths['/v1/me'].get.`,
      );
    steps.push(step);
  }
  return steps;
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
  const names = value.map(readItemName);
  const named = names.every(Boolean) && new Set(names).size === names.length;
  return named ? Object.fromEntries(value.map((item, index) => [names[index], item])) : undefined;
}

/** Reads the name of an item, such as a status, a parameter or a media type. A test compares it with src/engine/http/in-force.ts. */
export const readItemName = (item) =>
  isObject(item) ? (item.code ?? item.name ?? item.mediaType ?? item.$ref ?? item.title) : undefined;
