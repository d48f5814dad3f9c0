// Replaces `@apitools/openapi-parser` for RapiDoc: resolves the references of a document. The original has a hundred
// dependencies; our document only refers to itself.
type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json | undefined;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function resolveDocument(document: JsonObject): Json {
  const resolved = new Map<string, Json>();

  /** Resolves a reference. A recursive schema is replaced by its name, because it can't be displayed completely. */
  const resolveReference = (reference: string): Json => {
    const known = resolved.get(reference);
    if (known !== undefined) return known;
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    // The placeholder is stored first, for schemas that refer to themselves.
    resolved.set(reference, { type: "object", title: name, description: `${name}, as above.` });
    const result = inlineReferences(getAtPointer(document, reference));
    resolved.set(reference, result);
    return result;
  };

  const inlineReferences = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inlineReferences);
    if (!isObject(value)) return value;
    const { $ref: reference, ...beside } = value;
    const rest = Object.fromEntries(
      Object.entries(beside).flatMap(([name, each]) => (each === undefined ? [] : [[name, inlineReferences(each)]])),
    );
    if (typeof reference !== "string")
      return reference === undefined ? rest : { ...rest, $ref: inlineReferences(reference) };
    const target = resolveReference(reference);
    // Fields next to a reference override it, as in OpenAPI 3.1.
    return isObject(target) ? { ...target, ...rest } : target;
  };

  return inlineReferences(document);
}

/** Resolves a JSON pointer (RFC 6901) in a fragment. */
function getAtPointer(document: JsonObject, reference: string): Json {
  let found: Json | undefined = document;
  for (const part of reference.slice(2).split("/")) {
    const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) ? found[name] : undefined;
  }
  if (found === undefined) throw new Error(`The document has nothing at ${reference}.`);
  return found;
}

export default {
  async resolve({ url }: { url: string }): Promise<{ spec: Json }> {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
    return { spec: resolveDocument(await answer.json()) };
  },
};
