// Checks the form of a scenario with spec/scenario.schema.json, and the input of an act with the schema of the sandbox. Problems are
// sentences that suggest the nearest name. Schemas are compiled when first needed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describeSize, readInstant } from "../../engine/domain/index.ts";
import { isObject, showJson } from "../../platform/json.ts";
import { splitPointer } from "../../platform/member-paths.ts";
import { findNearest } from "../../platform/nearest.ts";
import { getPackageRoot } from "../../platform/package-folder.ts";
import { findReferences } from "./refs.ts";

export type MemberPath = readonly (string | number)[];

export interface ShapeProblem {
  path: MemberPath;
  reason: string;
  /** The missing field. Without it, the value at the path is invalid. */
  lacks?: string;
}

// The CommonJS package has a default export or not, depending on the loader.
const addFormats =
  (formats as unknown as { default?: typeof formats.default }).default ??
  (formats as unknown as typeof formats.default);

/** The maximum number of reported problems. */
export const MAX_REPORTED = 100;

let compiled: { ajv: Ajv2020; schema: Schema } | undefined;

interface Schema {
  $id: string;
  $defs: Record<string, { enum?: string[]; title?: string; properties?: object }>;
}

function loadSchema(): { ajv: Ajv2020; schema: Schema } {
  if (compiled) return compiled;
  const schema = JSON.parse(readFileSync(join(getPackageRoot(), "spec", "scenario.schema.json"), "utf8")) as Schema;
  compiled = { ajv: makeAjv({ allowUnionTypes: true, strictRequired: false }).addSchema(schema), schema };
  return compiled;
}

/** Returns the validator of the complete scenario, or of a part. */
function getValidator(part?: PartName): ValidateFunction {
  const { ajv, schema } = loadSchema();
  return ajv.getSchema(part ? `${schema.$id}#/$defs/${part}` : schema.$id) as ValidateFunction;
}

function makeAjv(options: object): Ajv2020 {
  // The schemas themselves are not validated, because that would compile the meta-schema each time.
  const ajv = new Ajv2020({ allErrors: true, verbose: true, validateSchema: false, ...options });
  addFormats(ajv);
  // The package's format accepts a space instead of the T, which the sandbox rejects.
  ajv.addFormat("date-time", (text) => readInstant(text) !== undefined);
  return ajv;
}

/** Lists the names in the schema: verbs, operations, acts, kinds or scopes. */
export function listAllowedNames(list: "Verb" | "Operation" | "Act" | "Kind" | "Scope"): string[] {
  return loadSchema().schema.$defs[list]?.enum ?? [];
}

/** Returns all problems, or one more than the limit, so that callers know that there are more. */
export function findShapeProblems(value: unknown): ShapeProblem[] {
  const found: ShapeProblem[] = [];
  for (const errors of validateParts({ value, at: "" })) {
    found.push(...formatErrors(errors));
    if (found.length > MAX_REPORTED) break;
  }
  return found.slice(0, MAX_REPORTED + 1);
}

/** The lists that are checked item by item, with the definition of their items. */
const LISTS = { steps: "Step", fault: "Fault" } as const;
type PartName = (typeof LISTS)[keyof typeof LISTS];

interface Part {
  value: unknown;
  /** The pointer to it. */
  at: string;
  /** The definition that the part must match. Default: the complete scenario. */
  of?: PartName;
}

/** Validates each part separately, because AJV copies all earlier errors whenever a part has more of them. */
function* validateParts({ value, at, of }: Part): Generator<ErrorObject[]> {
  const inside: Part[] = [];
  const fits = getValidator(of);
  const emptied = new Set<string>();
  if (!fits(extractParts(value, at, { inside, emptied }), { instancePath: at } as Parameters<ValidateFunction>[1]))
    yield (fits.errors ?? []).filter(
      ({ keyword, instancePath }) => keyword !== "minItems" || !emptied.has(instancePath),
    );
  for (const part of inside) yield* validateParts(part);
}

function extractParts(value: unknown, at: string, out: { inside: Part[]; emptied: Set<string> }): unknown {
  if (!isObject(value)) return value;
  const rest: Record<string, unknown> = { ...value };
  if ("repeat" in rest) rest.repeat = extractParts(rest.repeat, `${at}/repeat`, out);
  for (const [list, of] of Object.entries(LISTS)) {
    const items = rest[list];
    if (!Array.isArray(items) || items.length === 0) continue;
    for (const [index, item] of items.entries()) out.inside.push({ value: item, at: `${at}/${list}/${index}`, of });
    // The list is emptied here, and its parts are checked separately.
    rest[list] = [];
    out.emptied.add(`${at}/${list}`);
  }
  return rest;
}

const inputs = new WeakMap<object, ValidateFunction>();

/** Returns the problems of an input. References are accepted for any value. */
export function findInputProblems(schema: object, input: unknown): ShapeProblem[] {
  // The sandbox's schemas may use keywords and formats that only it knows.
  const fits = inputs.get(schema) ?? makeAjv({ strict: false, logger: false }).compile(schema);
  inputs.set(schema, fits);
  if (fits(input)) return [];
  return formatErrors((fits.errors ?? []).filter((error) => !isAboutReference(error)));
}

/** A missing or unknown field is a problem regardless of the references. */
function isAboutReference({ keyword, data }: ErrorObject): boolean {
  return !/^(required|additionalProperties)$/.test(keyword) && findReferences(data).length > 0;
}

/** Returns one problem for each invalid value, and one for each missing field that is not misspelled. */
function formatErrors(errors: readonly ErrorObject[]): ShapeProblem[] {
  const seen = new Set<string>();
  const extras = groupExtraMembers(errors);
  const isMisspelt = ({ keyword, instancePath, params }: ErrorObject): boolean =>
    keyword === "required" &&
    Boolean(extras.get(instancePath)?.some((extra) => findNearest(extra, [String(params.missingProperty)])));
  return errors
    .filter((error) => isInformative(error) && !isMisspelt(error))
    .map(formatError)
    .filter(({ path, lacks = "" }) => {
      const key = JSON.stringify([path, lacks]);
      return seen.has(key) ? false : Boolean(seen.add(key));
    });
}

/** Omits errors of single branches of a choice, and of conditions, because other errors explain them better. */
function isInformative({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== "if" && !/\/(anyOf|oneOf)\/\d+\//.test(schemaPath);
}

/** Groups unknown fields by their object. */
function groupExtraMembers(errors: readonly ErrorObject[]): Map<string, string[]> {
  const extras = new Map<string, string[]>();
  for (const { keyword, instancePath, params } of errors) {
    if (keyword !== "additionalProperties") continue;
    extras.set(instancePath, [...(extras.get(instancePath) ?? []), String(params.additionalProperty)]);
  }
  return extras;
}

function formatError({ instancePath, keyword, params, message, parentSchema, data }: ErrorObject): ShapeProblem {
  const path = splitPointer(instancePath).map((name) => (/^\d+$/.test(name) ? Number(name) : name));
  const kind = (parentSchema as { title?: string } | undefined)?.title ?? "value";
  if (keyword === "additionalProperties") {
    const extra = String(params.additionalProperty);
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
    const name = kind === "step" ? "verb or member" : "member";
    return { path: [...path, extra], reason: suggest(name, extra, known) };
  }
  if (keyword === "enum") return { path, reason: suggest(kind, String(data), params.allowedValues as string[]) };
  if (keyword === "required") {
    const lacks = String(params.missingProperty);
    return { path, reason: `\`${lacks}\` is missing`, lacks };
  }
  if (keyword === "anyOf" || keyword === "oneOf") return { path, reason: describeChoice(kind, parentSchema, data) };
  const types = keyword === "type" ? `must be ${[params.type].flat().join(" or ")}` : undefined;
  const wanted = types ?? describeSize(keyword, params.limit) ?? message ?? "this does not fit";
  return { path, reason: `${wanted}, but it is ${showJson(data)}` };
}

/** Omits the value of a step, because it is long and the problem is a missing field. */
function describeChoice(kind: string, schema: unknown, data: unknown): string {
  const described = (schema as { $comment?: string } | undefined)?.$comment ?? `this is no ${kind}`;
  return kind === "step" ? described : `${described}, but this is ${showJson(data)}`;
}

// Formats the message about an unknown name, with the nearest known name, or with all known names if they are few.

/** A sentence lists at most this many names. */
const MAX_LISTED_NAMES = 12;
const MAX_EXCERPT_LENGTH = 80;

/** Formats "there is no act `x`; did you mean `y`?" */
export function suggest(kind: string, name: string, known: Iterable<string>): string {
  const names = [...known];
  const guess = findNearest(name, names);
  const sentence = `there is no ${kind} \`${name.slice(0, MAX_EXCERPT_LENGTH)}\``;
  if (guess !== undefined) return `${sentence}; did you mean \`${guess}\`?`;
  return names.length > 0 && names.length <= MAX_LISTED_NAMES ? `${sentence}; there are ${names.join(", ")}` : sentence;
}
