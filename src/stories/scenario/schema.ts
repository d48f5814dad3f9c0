// The form of a scenario, held against spec/scenario.schema.json, and of an act's input, against the schema that the sandbox names;
// problems in words, with the name that may have been meant. Compiled when first needed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describeSize, readInstant } from "../../engine/domain/index.ts";
import { showJson } from "../../platform/json.ts";
import { decodeStep } from "../../platform/member-paths.ts";
import { findNearest } from "../../platform/nearest.ts";
import { getPackageRoot } from "../../platform/package-folder.ts";
import { isObject } from "./match.ts";
import { findReferences } from "./refs.ts";
import { suggest } from "./unknown.ts";

export type MemberPath = readonly (string | number)[];

export interface ShapeProblem {
  path: MemberPath;
  reason: string;
  /** The member that is not there; otherwise it is the value at the path that does not fit. */
  lacks?: string;
}

// The CommonJS package arrives wrapped or bare, depending on who loads it.
const addFormats =
  (formats as unknown as { default?: typeof formats.default }).default ??
  (formats as unknown as typeof formats.default);

/** More than this many problems are not reported: what has so many is mended in part first. */
export const MOST_REPORTED = 100;

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

/** Of the whole, or of one of its parts. */
function getValidator(part?: PartName): ValidateFunction {
  const { ajv, schema } = loadSchema();
  return ajv.getSchema(part ? `${schema.$id}#/$defs/${part}` : schema.$id) as ValidateFunction;
}

function makeAjv(options: object): Ajv2020 {
  // The schemas are the sandbox's own; to check them too, AJV would compile the one of schemas each time.
  const ajv = new Ajv2020({ allErrors: true, verbose: true, validateSchema: false, ...options });
  addFormats(ajv);
  // That of the package takes a blank for the T, which the sandbox refuses.
  ajv.addFormat("date-time", (text) => readInstant(text) !== undefined);
  return ajv;
}

/** The names that the schema lists: verbs, operations, acts, kinds, scopes. */
export function listAllowedNames(list: "Verb" | "Operation" | "Act" | "Kind" | "Scope"): string[] {
  return loadSchema().schema.$defs[list]?.enum ?? [];
}

/** What does not fit: all of it, or one more than are reported. In words, with the name that may have been meant. */
export function findShapeProblems(value: unknown): ShapeProblem[] {
  const found: ShapeProblem[] = [];
  for (const errors of validateParts({ value, at: "" })) {
    found.push(...formatErrors(errors));
    if (found.length > MOST_REPORTED) break;
  }
  return found.slice(0, MOST_REPORTED + 1);
}

type PartName = "Step" | "Fault";
const LISTS: readonly [list: string, of: PartName][] = [
  ["steps", "Step"],
  ["fault", "Fault"],
];

interface Part {
  value: unknown;
  /** The pointer to it. */
  at: string;
  /** What it is; otherwise it is the whole. */
  of?: PartName;
}

/** Each part is held by itself: AJV copies all errors that it has found for each part with more of them. */
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
  for (const [list, of] of LISTS) {
    const items = rest[list];
    if (!Array.isArray(items) || items.length === 0) continue;
    for (const [index, item] of items.entries()) out.inside.push({ value: item, at: `${at}/${list}/${index}`, of });
    // Emptied, and checked part by part.
    rest[list] = [];
    out.emptied.add(`${at}/${list}`);
  }
  return rest;
}

const inputs = new WeakMap<object, ValidateFunction>();

/** What of an input does not fit its schema; a reference may stand for anything. */
export function findInputProblems(schema: object, input: unknown): ShapeProblem[] {
  // The sandbox's schemas may use words and formats that only it knows.
  const fits = inputs.get(schema) ?? makeAjv({ strict: false, logger: false }).compile(schema);
  inputs.set(schema, fits);
  if (fits(input)) return [];
  return formatErrors((fits.errors ?? []).filter((error) => !isAboutReference(error)));
}

/** A member that is missing or too many is a problem whatever the others stand for. */
function isAboutReference({ keyword, data }: ErrorObject): boolean {
  return !/^(required|additionalProperties)$/.test(keyword) && findReferences(data).length > 0;
}

/** One for each value that does not fit, and one for each member that is missing and not misspelt. */
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

/** A branch of a choice that fails says less than the choice itself; a condition, less than what it demands. */
function isInformative({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== "if" && !/\/(anyOf|oneOf)\/\d+\//.test(schemaPath);
}

/** The members too many, by the object that they stand in. */
function groupExtraMembers(errors: readonly ErrorObject[]): Map<string, string[]> {
  const extras = new Map<string, string[]>();
  for (const { keyword, instancePath, params } of errors) {
    if (keyword !== "additionalProperties") continue;
    extras.set(instancePath, [...(extras.get(instancePath) ?? []), String(params.additionalProperty)]);
  }
  return extras;
}

function formatError({ instancePath, keyword, params, message, parentSchema, data }: ErrorObject): ShapeProblem {
  const path = instancePath.split("/").slice(1).map(unescapePointer);
  const kind = (parentSchema as { title?: string } | undefined)?.title ?? "value";
  if (keyword === "additionalProperties") {
    const extra = String(params.additionalProperty);
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
    const name = kind === "step" ? "verb or member" : "member";
    return { path: [...path, extra], reason: findNestingMember(extra, known) ?? suggest(name, extra, known) };
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

/** For a path that is given as one name, as commands take it. */
function findNestingMember(name: string, known: readonly string[]): string | undefined {
  const [outer = "", ...inner] = name.split(".");
  if (inner.length === 0 || !known.includes(outer)) return undefined;
  const nested = inner.reduceRight((value, each) => `{ ${each}: ${value} }`, "…");
  return `there is no member \`${name}\`; write \`${outer}: ${nested}\``;
}

/** A step is too long to be repeated, and the problem lies in what it lacks. */
function describeChoice(kind: string, schema: unknown, data: unknown): string {
  const described = (schema as { $comment?: string } | undefined)?.$comment ?? `this is no ${kind}`;
  return kind === "step" ? described : `${described}, but this is ${showJson(data)}`;
}

function unescapePointer(piece: string): string | number {
  return /^\d+$/.test(piece) ? Number(piece) : decodeStep(piece);
}
