// A union that a tag tells apart, as one object: every member of its alternatives, and conditions for what only one of them asks. Validators
// made of it stop at the alternative that the tag names and speak only of that one, and readers of members need not know unions. A union
// of different types is one schema of several types, whose other keywords hold for one of them each.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/** By document: a copy takes tens of milliseconds, and the served ones are few. */
const known = new WeakMap();
const isTagged = ({ oneOf, discriminator }) => Array.isArray(oneOf) && typeof discriminator === "object";
const isByType = ({ oneOf }) =>
  Array.isArray(oneOf) &&
  oneOf.every(({ type }) => typeof type === "string") &&
  new Set(oneOf.map(({ type }) => (type === "integer" ? "number" : type))).size === oneOf.length;

/** A copy of the document, the same for each call, in which the alternatives are missing. */
export function withoutUnions(document) {
  const copy = known.get(document) ?? copied(document);
  known.set(document, copy);
  return copy;
}

function copied(document) {
  const alternatives = new Set();
  const copy = (node) => {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map(copy);
    if (isByType(node)) return copy(joinTypes(node));
    if (!isTagged(node)) return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, copy(value)]));
    for (const { $ref } of node.oneOf) if ($ref) alternatives.add($ref);
    return copy(asObject(node, document));
  };
  const { components, ...rest } = copy(document);
  if (!components?.schemas) return { ...rest, ...(components && { components }) };
  // An alternative that stands alone would be listed as a schema that nothing refers to.
  const named = Object.entries(components.schemas).filter(
    ([name]) => !alternatives.has(`#/components/schemas/${name}`),
  );
  return { ...rest, components: { ...components, schemas: Object.fromEntries(named) } };
}

/** Joins a union of different types into one schema of several types. */
export function joinTypes({ oneOf, ...own }) {
  // Each keyword of JSON Schema holds for values of one type and lets others pass, so they can be joined.
  const keywords = oneOf.map(({ type: _t, description: _d, ...rest }) => rest);
  return Object.assign({ ...own, type: oneOf.map(({ type }) => type) }, ...keywords);
}

function asObject({ oneOf, discriminator: { propertyName: tag }, ...own }, document) {
  const parts = oneOf.map((part) => withChoice(targetOf(part, document)));
  const required = parts[0].required.filter((name) => parts.every((part) => part.required.includes(name)));
  const names = [...new Set(parts.flatMap((part) => Object.keys(part.properties)))];
  const known = names.map((name) => [name, parts.flatMap((part) => part.properties[name] ?? [])]);
  const properties = Object.fromEntries(known.map(([name, forms]) => [name, shared(forms)]));
  // An open list of values names all of them in each alternative.
  if (!properties[tag]["x-extensible-enum"]) properties[tag].enum = parts.flatMap((part) => part.properties[tag].enum);
  const allOf = parts.flatMap((part) => conditionsOf(part, { tag, required, properties }));
  const closed = parts.every((part) => part.additionalProperties === false) ? { additionalProperties: false } : {};
  return { ...own, type: "object", ...closed, required, properties, ...(allOf.length > 0 && { allOf }) };
}

/** What every form of a member says; a description of one form is better than none. */
function shared([first, ...others]) {
  const isRetained = ([name, value]) => name === "description" || others.every((other) => same(other[name], value));
  return Object.fromEntries(Object.entries(first).filter(isRetained));
}

function conditionsOf(part, { tag, required, properties }) {
  const isIt = { required: [tag], properties: { [tag]: { const: part.properties[tag].enum[0] } } };
  const more = part.required.filter((name) => !required.includes(name));
  // A description decides nothing.
  const bare = ({ description: _, ...form }) => form;
  const stricter = Object.entries(part.properties).filter(
    ([name, form]) => name !== tag && !same(bare(form), bare(properties[name])),
  );
  const wanted = {
    ...(more.length > 0 && { required: more }),
    ...(stricter.length > 0 && { allOf: [{ properties: Object.fromEntries(stricter) }] }),
  };
  return [...(Object.keys(wanted).length > 0 ? [condition(isIt, wanted)] : []), ...choicesOf(part, isIt)];
}

/** Who gave none of the members that are to choose from is asked for the first. */
function choicesOf({ choice: [first, ...others] }, isIt) {
  if (first === undefined) return [];
  const isNoOther = { not: { anyOf: others.map((name) => ({ required: [name] })) } };
  return [condition({ ...isIt, ...isNoOther }, { required: [first] })];
}

/** An alternative that is itself any of some objects, which differ in one required member: as one object, and those members. */
function withChoice({ anyOf, ...own }) {
  if (!anyOf) return { ...own, choice: [] };
  const required = anyOf[0].required.filter((name) => anyOf.every((each) => each.required.includes(name)));
  const choice = anyOf.map((each) => each.required.find((name) => !required.includes(name)));
  return { ...own, ...anyOf[0], required, choice };
}

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const condition = (premise, wanted) => ({ if: premise, then: wanted });

function targetOf({ $ref, ...own }, document) {
  return $ref
    ? $ref
        .slice(2)
        .split("/")
        .reduce((node, step) => node[step], document)
    : own;
}
