// Applies the overlay of an alternative to the document: actions as in OpenAPI Overlay 1.0, with targets made of names, indices and `*`.
// A target that finds nothing is refused, since its action would silently change nothing.
const STEP = /\.([\w-]+|\*)|\['([^']+)'\]|\[(\d+)\]/y;
const MEMBERS = ["target", "description", "update", "remove"];

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A copy of the document after the actions. */
export function overlaid(document, actions) {
  const copy = structuredClone(document);
  for (const action of actions) act(copy, action);
  return copy;
}

function act(document, action) {
  const unknown = Object.keys(action).find((name) => !MEMBERS.includes(name));
  if (unknown) throw new Error(`An action has no member ${unknown}. It has: ${MEMBERS.join(", ")}.`);
  if ((action.update === undefined) === (action.remove !== true))
    throw new Error(`The action on ${action.target} must have either update, or remove: true.`);
  const targets = targetsOf(document, action.target);
  if (targets.length === 0) throw new Error(`The target ${action.target} finds nothing in the document.`);
  // The last is removed first, so that removing from a list does not shift the others.
  for (const { holder, key } of targets.reverse()) {
    if (!action.remove) holder[key] = merged(holder[key], action.update);
    else if (Array.isArray(holder)) holder.splice(key, 1);
    else delete holder[key];
  }
}

function targetsOf(document, target) {
  const root = { "": document };
  return stepsOf(target).reduce(
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
function stepsOf(target) {
  const steps = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < target.length) {
    const [, name, quoted, index] = STEP.exec(target) ?? [];
    const step = name ?? quoted ?? index;
    if (step === undefined || !target.startsWith("$"))
      throw new Error(
        `The target ${target} is not understood. Write it as $.components.schemas.Name or $.paths['/v1/me'].get.`,
      );
    steps.push(step);
  }
  return steps;
}

/** Objects are merged, lists are appended to, and anything else is replaced. */
function merged(node, update) {
  if (Array.isArray(node)) return [...node, ...[update].flat()];
  if (!isObject(node) || !isObject(update)) return update;
  const entries = Object.entries(update).map(([name, value]) => [
    name,
    Object.hasOwn(node, name) ? merged(node[name], value) : value,
  ]);
  return { ...node, ...Object.fromEntries(entries) };
}

/**
 * The patch from one value to another, for src/engine/http/patched.ts: a JSON merge patch (RFC 7396) that patches the items of a named list
 * by name. Undefined: the values are equal.
 */
export function patchBetween(before, after) {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  const [from, to] = [membersOf(before), membersOf(after)];
  if (!from || !to || Array.isArray(before) !== Array.isArray(after)) return after;
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changes = names.map((name) => [name, name in to ? patchBetween(from[name], to[name]) : null]);
  return Object.fromEntries(changes.filter(([, change]) => change !== undefined));
}

/** The members of an object, or of a list whose items all have different names. */
function membersOf(value) {
  if (isObject(value)) return value;
  if (!Array.isArray(value)) return undefined;
  const names = value.map(nameOf);
  const named = names.every(Boolean) && new Set(names).size === names.length;
  return named ? Object.fromEntries(value.map((item, index) => [names[index], item])) : undefined;
}

/** The name of an item of a list: a status, a parameter, a media type, a form of an object. src/engine/http/patched.ts has the same, as a test holds. */
export const nameOf = (item) =>
  isObject(item) ? (item.code ?? item.name ?? item.mediaType ?? item.$ref ?? item.title) : undefined;
