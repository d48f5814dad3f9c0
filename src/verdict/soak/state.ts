// Validates what a probe prints: an object that lists records with their ids by kind.
import { isObject } from "../../platform/json.ts";
import { suggest } from "../../platform/nearest.ts";
import type { State } from "./differences.ts";
import { KINDS } from "./truth.ts";

/** The probe printed something else; the message describes what the probe should print. */
class InvalidState extends Error {}

/** Does not validate the fields of records. */
export function parseState(printed: unknown): State {
  const example = 'Print an object such as { "bookings": [{ "id": "…", "status": "ACTIVE" }] }.';
  if (!isObject(printed)) throw new InvalidState(`The probe printed ${describeType(printed)}. ${example}`);
  const kinds = Object.entries(printed);
  if (kinds.length === 0) throw new InvalidState(`The probe printed an object without a kind of record. ${example}`);
  for (const [kind, records] of kinds) {
    const all = Object.keys(KINDS);
    if (!Object.hasOwn(KINDS, kind))
      throw new InvalidState(
        `The probe printed the unknown kind ${kind}.${suggest(kind, all)} Kinds: ${all.join(", ")}.`,
      );
    const wrong = Array.isArray(records) ? records.findIndex((each) => typeof each?.id !== "string") : 0;
    if (!Array.isArray(records))
      throw new InvalidState(`The probe printed ${describeType(records)} as ${kind}; print a list. ${example}`);
    if (wrong >= 0) throw new InvalidState(`The probe printed ${kind}[${wrong}] without an id. ${example}`);
  }
  return printed as State;
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : `a ${typeof value}`;
}
