// Finds the response fields of operations that may have unknown values or may be omitted by faults.

import type { IHttpOperation } from "@stoplight/types";
import operations from "../../contract/generated/operations.json" with { type: "json" };
import type { JsonSchema } from "../../contract/json-schema.ts";
import { findExtensible, findOptional } from "./answer-mutators.ts";

/** Finds the fields with extensible values in successful responses, by operation. */
export const findExtensibleMembers = () => groupMembers(findExtensible);
/** Finds the optional fields in successful responses, by operation. */
export const findOptionalMembers = () => groupMembers(findOptional);

function groupMembers(namesIn: (schema: JsonSchema) => string[]): ReadonlyMap<string, readonly string[]> {
  const found = (operations as unknown as IHttpOperation[]).map(({ id, iid, responses }): [string, string[]] => {
    // Error responses have other faults.
    const contents = responses.filter(({ code }) => code.startsWith("2")).flatMap((each) => each.contents ?? []);
    const names = contents.flatMap(({ schema }) => namesIn((schema ?? {}) as JsonSchema));
    return [iid ?? id, [...new Set(names)]];
  });
  return new Map(found.filter(([, names]) => names.length > 0));
}
