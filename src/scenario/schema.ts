// The form of a scenario, held against spec/scenario.schema.json; its faults in words, with the name that may have been meant.
// Compiled when first needed.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { unknown } from "./nearest.ts";

export type Place = readonly (string | number)[];

export interface ShapeFault {
  path: Place;
  reason: string;
}

// The CommonJS package arrives wrapped or bare, depending on who loads it.
const addFormats =
  (formats as unknown as { default?: typeof formats.default }).default ??
  (formats as unknown as typeof formats.default);

let compiled: { fits: ValidateFunction; schema: Schema } | undefined;

interface Schema {
  $defs: Record<string, { enum?: string[]; title?: string; properties?: object }>;
}

function schemaOf(): { fits: ValidateFunction; schema: Schema } {
  if (compiled) return compiled;
  const schema = JSON.parse(readFileSync(schemaFile(), "utf8")) as Schema;
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false, verbose: true });
  addFormats(ajv);
  compiled = { fits: ajv.compile(schema), schema };
  return compiled;
}

/** It lies beside package.json, whether this runs from the sources or from the bundle. */
function schemaFile(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return join(folder, "spec", "scenario.schema.json");
}

/** The names that the schema lists: verbs, operations, acts, kinds, scopes. */
export function namesOf(list: "Verb" | "Operation" | "Act" | "Kind" | "Scope"): string[] {
  return schemaOf().schema.$defs[list]?.enum ?? [];
}

export function shapeFaults(value: unknown): ShapeFault[] {
  const { fits } = schemaOf();
  if (fits(value)) return [];
  const faults = (fits.errors ?? []).filter(saysSomething).map(worded);
  const told = new Set<string>();
  return faults.filter(({ path, reason }) => {
    const key = `${path.join("/")} ${reason}`;
    return told.has(key) ? false : Boolean(told.add(key));
  });
}

/** A branch of a choice that fails says less than the choice itself. */
function saysSomething({ schemaPath }: ErrorObject): boolean {
  return !/\/anyOf\/\d+\//.test(schemaPath);
}

function worded({ instancePath, keyword, params, message, parentSchema, data }: ErrorObject): ShapeFault {
  const path = instancePath.split("/").slice(1).map(plain);
  const kind = (parentSchema as { title?: string } | undefined)?.title ?? "value";
  if (keyword === "additionalProperties") {
    const extra = String(params.additionalProperty);
    const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
    return { path: [...path, extra], reason: unknown(kind === "step" ? "verb or member" : "member", extra, known) };
  }
  if (keyword === "enum") return { path, reason: unknown(kind, String(data), params.allowedValues as string[]) };
  if (keyword === "required") return { path, reason: `\`${String(params.missingProperty)}\` is missing` };
  if (keyword === "anyOf") return { path, reason: choice(kind, parentSchema, data) };
  return { path, reason: `${message ?? "this does not fit"}, but it is ${shown(data)}` };
}

/** A step is too long to be repeated, and its fault lies in what it lacks. */
function choice(kind: string, schema: unknown, data: unknown): string {
  const described = (schema as { $comment?: string } | undefined)?.$comment ?? `this is no ${kind}`;
  return kind === "step" ? described : `${described}, but this is ${shown(data)}`;
}

function plain(piece: string): string | number {
  return /^\d+$/.test(piece) ? Number(piece) : piece.replaceAll("~1", "/").replaceAll("~0", "~");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
