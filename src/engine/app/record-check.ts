// Validates a record by the schema of its collection in spec/world.yaml, which the build has compiled, and describes the first violation.

import type { ErrorObject } from "ajv";
import generated from "../../contract/generated/world-validators.js";
import { showJson } from "../../platform/json.ts";
import { decodeStep } from "../../platform/member-paths.ts";
import { describeSize } from "../domain/kernel/forms.ts";
import type { Name } from "../world/state/schema.ts";
import { createMeanings, type MeaningContext } from "./record-meanings.ts";

interface RecordMisfit {
  /** The path in the record, such as "sessions.0.starts_at"; empty for the complete record. */
  member: string;
  what: string;
}

export type RecordCheck = (collection: Name, record: unknown) => RecordMisfit | undefined;

/** The validators get the meanings when the first record is checked. */
export function makeRecordCheck(context: MeaningContext): RecordCheck {
  const meanings = createMeanings(context);
  const holds = Object.fromEntries(Object.entries(meanings).map(([name, [holds]]) => [name, holds]));
  let validators: ReturnType<typeof generated.given> | undefined;
  const describeMeaning = ({ params, data }: ErrorObject): string => {
    const [, wanted = "something else"] = meanings[params.means as string] ?? [];
    return typeof wanted === "string" ? wanted : wanted(data as never);
  };
  return (collection, record) => {
    validators ??= generated.given(holds);
    const isValid = validators[collection];
    if (!isValid || isValid(record)) return undefined;
    const [error] = isValid.errors ?? [];
    if (!error) return { member: "", what: "it is not valid." };
    return describeMisfit(error, error.keyword === "means" ? `be ${describeMeaning(error)}` : describeExpected(error));
  };
}

/** The parameters in which AJV names an unknown field. */
const UNKNOWN = ["additionalProperty", "unevaluatedProperty"] as const;

/** `expected`: the end of "it must …". */
function describeMisfit({ instancePath, keyword, params, data }: ErrorObject, expected: string): RecordMisfit {
  const path = instancePath.split("/").slice(1).map(decodeStep);
  // Names are from the document, so they are shortened.
  const joinPath = (...member: unknown[]) => [...path, ...member].map((piece) => String(piece).slice(0, 60)).join(".");
  const stranger = UNKNOWN.map((name) => params[name]).find((name) => name !== undefined);
  if (stranger !== undefined) return { member: joinPath(stranger), what: "it is an unknown field. Remove it." };
  if (keyword === "required") return { member: joinPath(params.missingProperty), what: "it is missing." };
  if (keyword === "discriminator")
    return { member: joinPath(params.tag), what: `it is ${showJson(params.tagValue)}, which is unknown.` };
  return { member: joinPath(), what: `it must ${expected}, and it is ${showJson(data)}.` };
}

function describeExpected({ keyword, params, message }: ErrorObject): string {
  if (keyword === "enum") return `be one of ${(params.allowedValues as unknown[]).join(", ")}`;
  if (keyword === "const") return `be ${showJson(params.allowedValue)}`;
  return (describeSize(keyword, params.limit) ?? message ?? "fit").replace(/^must /, "");
}
