// What a probe prints, read: by kind a list of records with their ids. What is not so is said in words.
import { suggest } from "../../platform/nearest.ts";
import type { State } from "./differences.ts";
import { KINDS } from "./truth.ts";

/** The probe printed no state; the message says what it should print. */
class NoState extends Error {}

/** Members of records are not looked at here. */
export function stateFrom(printed: unknown): State {
  const example = 'Print an object such as { "bookings": [{ "id": "…", "status": "ACTIVE" }] }.';
  if (typeof printed !== "object" || printed === null || Array.isArray(printed))
    throw new NoState(`The probe printed ${kindOf(printed)}. ${example}`);
  const kinds = Object.entries(printed);
  if (kinds.length === 0) throw new NoState(`The probe printed an object without a kind of record. ${example}`);
  for (const [kind, records] of kinds) {
    const all = Object.keys(KINDS);
    if (!Object.hasOwn(KINDS, kind))
      throw new NoState(
        `The probe printed ${kind}, and there is no such kind.${suggest(kind, all)} There are: ${all.join(", ")}.`,
      );
    const wrong = Array.isArray(records) ? records.findIndex((each) => typeof each?.id !== "string") : 0;
    if (!Array.isArray(records))
      throw new NoState(`${kind} of the probe must be a list, and is ${kindOf(records)}. ${example}`);
    if (wrong >= 0) throw new NoState(`${kind}[${wrong}] of the probe has no id. ${example}`);
  }
  return printed as State;
}

const kindOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`;
