// Values of a schema, as arbitraries of fast-check: mostly fitting, since a validator judges each afterwards. And small mutations, which
// turn what fits into what does not.
import fc from "fast-check";
import type { Description, Json, Schema } from "./document.ts";

const DEEPEST = 6;
/** Webhooks go to a closed port of this machine, never further. */
const NOWHERE = "http://127.0.0.1:9/";

const FORMATS: Record<string, fc.Arbitrary<Json>> = {
  "date-time": fc.constantFrom("2030-06-01T09:00:00Z", "2030-12-31T23:59:59.5+02:00", "2031-03-30T02:30:00Z"),
  date: fc.constantFrom("2030-06-01", "2032-02-29"),
  duration: fc.constantFrom("PT1H", "P1D", "PT90M"),
  email: fc.constantFrom("anna@example.com", "b.o+c@sub.example.org"),
  uri: fc.nat(99).map((n) => `${NOWHERE}${n}`),
  uuid: fc.uuid(),
};

export function valuesOf(given: Schema, { resolve }: Description, depth = 0): fc.Arbitrary<Json> {
  const of = (schema: Schema) => valuesOf(schema, { resolve } as Description, depth + 1);
  const schema = merged(resolve(given), resolve);
  if (schema.const !== undefined) return fc.constant(schema.const as Json);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as Json[]));
  const branches = (schema.oneOf ?? schema.anyOf) as Schema[] | undefined;
  if (branches && depth < DEEPEST)
    return fc.oneof(...branches.map((branch) => of(merged({ ...base(schema), allOf: [branch] }, resolve))));
  const types = [schema.type ?? (schema.properties ? "object" : "string")].flat() as string[];
  return fc.oneof(...types.map((type) => ofType(type, schema, of, depth)));
}

/** Without what chooses between branches. */
function base({ oneOf: _, anyOf: __, if: ___, then: ____, else: _____, ...schema }: Schema): Schema {
  return schema;
}

function merged(schema: Schema, resolve: Description["resolve"]): Schema {
  const parts = ((schema.allOf ?? []) as Schema[]).map((part) => merged(resolve(part), resolve));
  const conditions = schema.then ? [merged(resolve(schema.then as Schema), resolve)] : [];
  const all = [schema, ...parts, ...conditions];
  return {
    ...Object.assign({}, ...[...all].reverse()),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => (required ?? []) as string[]),
    allOf: undefined,
  } as Schema;
}

function ofType(
  type: string,
  schema: Schema,
  of: (schema: Schema) => fc.Arbitrary<Json>,
  depth: number,
): fc.Arbitrary<Json> {
  const [from, to] = [schema.minimum, schema.maximum].map(Number) as [number, number];
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return fc.integer({
        min: Number.isNaN(from) ? -5 : from,
        max: Number.isNaN(to) ? Math.max(2000, from || 0) : to,
      });
    case "array":
      return fc.array(of((schema.items ?? {}) as Schema), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: depth > 3 ? Number(schema.minItems ?? 0) : Math.max(Number(schema.minItems ?? 0), 3),
      });
    case "object":
      return objectOf(schema, of, depth);
    default:
      return textOf(schema);
  }
}

function objectOf(schema: Schema, of: (schema: Schema) => fc.Arbitrary<Json>, depth: number): fc.Arbitrary<Json> {
  const required = new Set(schema.required as string[]);
  const all = Object.entries(schema.properties as Record<string, Schema | boolean>);
  const retained = all.filter(([name, member]) => member !== false && (depth < DEEPEST || required.has(name)));
  const model = Object.fromEntries(
    retained.map(([name, member]) => [name, of(member === true ? {} : (member as Schema))]),
  );
  const named = retained.map(([name]) => name).filter((name) => required.has(name));
  return fc.record(model, { requiredKeys: named }) as fc.Arbitrary<Json>;
}

function textOf({ format, pattern, minLength = 0, maxLength, example, examples }: Schema): fc.Arbitrary<Json> {
  const view = [example, ...((examples ?? []) as unknown[])].filter((each) => typeof each === "string");
  const length = { minLength: Number(minLength), maxLength: Math.min(Number(maxLength ?? 40), 40) };
  const free = fc.oneof(fc.string(length), fc.constantFrom("København", "日本 🙂", "a\u0301\u202e", "<b>&amp;'\""));
  const known = FORMATS[String(format)] ?? (typeof pattern === "string" ? matching(pattern, free) : free);
  return view.length > 0 ? fc.oneof(fc.constantFrom(...(view as Json[])), known) : known;
}

function matching(pattern: string, otherwise: fc.Arbitrary<string>): fc.Arbitrary<string> {
  try {
    const arbitrary = fc.stringMatching(new RegExp(pattern, "u"), { maxLength: 40 });
    fc.sample(arbitrary, 1);
    return arbitrary;
  } catch {
    return otherwise;
  }
}

const ODD: readonly Json[] = [
  null,
  true,
  -1,
  0,
  1e21,
  1.5,
  "",
  " ",
  "x".repeat(5000),
  "\u0000",
  "2030-02-30T00:00:00Z",
  [],
  {},
  [[]],
  "__proto__",
];

/** One change somewhere in the value: a member gone, one too many, or one that is something else. */
export function mutations(value: Json): fc.Arbitrary<Json> {
  const paths = pathsIn(value);
  return fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom("drop", "add", "swap", "swap"), fc.constantFrom(...ODD))
    .map(([place, change, odd]) => changed(value, place, change, odd));
}

function pathsIn(value: Json, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

function changed(value: Json, [name, ...rest]: string[], change: string, odd: Json): Json {
  if (name === undefined) return change === "add" && isObject(value) ? { ...value, "not documented": odd } : odd;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, Json>;
  if (rest.length === 0 && change === "drop") delete copy[name];
  else copy[name] = changed(copy[name] ?? null, rest, change, odd);
  return (Array.isArray(copy) ? copy.filter((each) => each !== undefined) : copy) as Json;
}

export function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
