// Whether a record is valid: held against the schema of its collection in spec/world.yaml, which the build has compiled; the first
// violation in words.

import type { ErrorObject } from "ajv";
import generated from "../../contract/generated/world-validators.js";
import { jsonExcerpt } from "../../platform/json.ts";
import { unescaped } from "../../platform/member-paths.ts";
import { sizeInWords } from "../domain/kernel/forms.ts";
import type { Name } from "../world/state/schema.ts";
import { type MeaningContext, meaningsFor } from "./record-meanings.ts";

interface RecordMisfit {
  /** Where in the record, "sessions.0.starts_at"; empty for the record as a whole. */
  member: string;
  what: string;
}

export type RecordCheck = (collection: Name, record: unknown) => RecordMisfit | undefined;

/** Validators are compiled code; they are given their meanings when the first record is checked. */
export function makeRecordCheck(surroundings: MeaningContext): RecordCheck {
  const meanings = meaningsFor(surroundings);
  const holds = Object.fromEntries(Object.entries(meanings).map(([name, { holds }]) => [name, holds]));
  let validators: ReturnType<typeof generated.given> | undefined;
  const wantedBy = ({ params, data }: ErrorObject): string => {
    const { wanted } = meanings[params.means as string] ?? { wanted: "something else" };
    return typeof wanted === "string" ? wanted : wanted(data as never);
  };
  return (collection, record) => {
    validators ??= generated.given(holds);
    const fits = validators[collection];
    if (!fits || fits(record)) return undefined;
    const [error] = fits.errors ?? [];
    return error ? misfit(error, wantedBy) : { member: "", what: "it does not fit." };
  };
}

/** The parameters in which AJV names an unknown member. */
const UNKNOWN = ["additionalProperty", "unevaluatedProperty"] as const;

function misfit(error: ErrorObject, wantedBy: (error: ErrorObject) => string): RecordMisfit {
  const { instancePath, keyword, params, message, data } = error;
  const path = instancePath.split("/").slice(1).map(plain);
  // Names come from the document, so they are cut.
  const at = (member?: unknown) => [...path, ...(member === undefined ? [] : [String(member).slice(0, 60)])].join(".");
  const stranger = UNKNOWN.map((name) => params[name]).find((name) => name !== undefined);
  if (stranger !== undefined) return { member: at(stranger), what: "there is no such member here. Take it out." };
  if (keyword === "required") return { member: at(params.missingProperty), what: "it is missing." };
  if (keyword === "discriminator")
    return { member: at(params.tag), what: `it is ${jsonExcerpt(params.tagValue)}, which is not known.` };
  return { member: at(), what: `it must ${input(error, message, wantedBy)}, and it is ${jsonExcerpt(data)}.` };
}

/** The end of "it must …", by the keyword that failed. */
function input(error: ErrorObject, message: string | undefined, wantedBy: (error: ErrorObject) => string): string {
  const { keyword, params } = error;
  if (keyword === "means") return `be ${wantedBy(error)}`;
  if (keyword === "enum") return `be one of ${(params.allowedValues as unknown[]).join(", ")}`;
  if (keyword === "const") return `be ${jsonExcerpt(params.allowedValue)}`;
  return (sizeInWords(keyword, params.limit) ?? message ?? "fit").replace(/^must /, "");
}

const plain = (piece: string): string => unescaped(piece).slice(0, 60);
