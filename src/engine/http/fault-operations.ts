// Which members of the answers of operations take unknown values or may be absent, for faults of an answer.

import type { IHttpOperation } from "@stoplight/types";
import operations from "../../contract/generated/operations.json" with { type: "json" };
import type { JsonSchema } from "../../contract/json-schema.ts";
import { findExtensible, findOptional } from "./answer-mutators.ts";

/** By operation: the members whose values the specification calls extensible, in good answers. */
export const findExtensibleMembers = () => groupMembers(findExtensible);
/** By operation: the members that it calls optional, in good answers. */
export const findOptionalMembers = () => groupMembers(findOptional);

function groupMembers(namesIn: (schema: JsonSchema) => string[]): ReadonlyMap<string, readonly string[]> {
  const found = (operations as unknown as IHttpOperation[]).map(({ id, iid, responses }): [string, string[]] => {
    // Good answers only: the others are of one shape, and of another fault.
    const contents = responses.filter(({ code }) => code.startsWith("2")).flatMap((each) => each.contents ?? []);
    const names = contents.flatMap(({ schema }) => namesIn((schema ?? {}) as JsonSchema));
    return [iid ?? id, [...new Set(names)]];
  });
  return new Map(found.filter(([, names]) => names.length > 0));
}
