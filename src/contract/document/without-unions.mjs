// Converts unions of a document for validators and readers that don't support them. A tagged union becomes one object with
// the fields of all alternatives, and conditions for what only one of them requires. Validators then report errors of the
// chosen alternative only. A union of different types becomes one schema with several types, each of whose other keywords
// applies to one type.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/** Copies are cached by document: a copy takes tens of milliseconds, and few documents are served. */
const known = new WeakMap();
const isTagged = ({ oneOf, discriminator }) => Array.isArray(oneOf) && typeof discriminator === "object";
const isByType = ({ oneOf }) =>
  Array.isArray(oneOf) &&
  oneOf.every(({ type }) => typeof type === "string") &&
  new Set(oneOf.map(({ type }) => (type === "integer" ? "number" : type))).size === oneOf.length;

/** Returns a copy of the document without the alternatives; the same copy for each call. */
export function withoutUnions(document) {
  const copy = known.get(document) ?? copyWithoutUnions(document);
  known.set(document, copy);
  return copy;
}

function copyWithoutUnions(document) {
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
  // An unused alternative would be listed as a schema without references.
  const named = Object.entries(components.schemas).filter(
    ([name]) => !alternatives.has(`#/components/schemas/${name}`),
  );
  return { ...rest, components: { ...components, schemas: Object.fromEntries(named) } };
}

/** Joins a union of different types into one schema of several types. */
export function joinTypes({ oneOf, ...own }) {
  // A keyword of JSON Schema applies to values of one type and ignores others, so keywords can be joined.
  const keywords = oneOf.map(({ type: _t, description: _d, ...rest }) => rest);
  return Object.assign({ ...own, type: oneOf.map(({ type }) => type) }, ...keywords);
}

function asObject({ oneOf, discriminator: { propertyName: tag }, ...own }, document) {
  const parts = oneOf.map((part) => withChoice(resolveTarget(part, document)));
  const required = parts[0].required.filter((name) => parts.every((part) => part.required.includes(name)));
  const names = [...new Set(parts.flatMap((part) => Object.keys(part.properties)))];
  const known = names.map((name) => [name, parts.flatMap((part) => part.properties[name] ?? [])]);
  const properties = Object.fromEntries(known.map(([name, forms]) => [name, intersectForms(forms)]));
  // An open list of values names all of them in each alternative.
  if (!properties[tag]["x-extensible-enum"]) properties[tag].enum = parts.flatMap((part) => part.properties[tag].enum);
  const allOf = parts.flatMap((part) => toConditions(part, { tag, required, properties }));
  const closed = parts.every((part) => part.additionalProperties === false) ? { additionalProperties: false } : {};
  return { ...own, type: "object", ...closed, required, properties, ...(allOf.length > 0 && { allOf }) };
}

/** Returns what all forms of a field have in common. The description of the first form is kept. */
function intersectForms([first, ...others]) {
  const isRetained = ([name, value]) => name === "description" || others.every((other) => same(other[name], value));
  return Object.fromEntries(Object.entries(first).filter(isRetained));
}

function toConditions(part, { tag, required, properties }) {
  const isIt = { required: [tag], properties: { [tag]: { const: part.properties[tag].enum[0] } } };
  const more = part.required.filter((name) => !required.includes(name));
  // Descriptions are ignored in the comparison.
  const bare = ({ description: _, ...form }) => form;
  const stricter = Object.entries(part.properties).filter(
    ([name, form]) => name !== tag && !same(bare(form), bare(properties[name])),
  );
  const wanted = {
    ...(more.length > 0 && { required: more }),
    ...(stricter.length > 0 && { allOf: [{ properties: Object.fromEntries(stricter) }] }),
  };
  return [...(Object.keys(wanted).length > 0 ? [condition(isIt, wanted)] : []), ...toChoiceConditions(part, isIt)];
}

/** Requires the first of the fields to choose from if none of the others is given. */
function toChoiceConditions({ choice: [first, ...others] }, isIt) {
  if (first === undefined) return [];
  const isNoOther = { not: { anyOf: others.map((name) => ({ required: [name] })) } };
  return [condition({ ...isIt, ...isNoOther }, { required: [first] })];
}

/** Joins alternatives that differ in one required field into one object, with the list of those fields. */
function withChoice({ anyOf, ...own }) {
  if (!anyOf) return { ...own, choice: [] };
  const required = anyOf[0].required.filter((name) => anyOf.every((each) => each.required.includes(name)));
  const choice = anyOf.map((each) => each.required.find((name) => !required.includes(name)));
  return { ...own, ...anyOf[0], required, choice };
}

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const condition = (premise, wanted) => ({ if: premise, then: wanted });

function resolveTarget({ $ref, ...own }, document) {
  return $ref
    ? $ref
        .slice(2)
        .split("/")
        .reduce((node, step) => node[step], document)
    : own;
}
