// Describes a fault in words that the specification assigns to its fields: a name for a fault without one, and the details
// that a name does not contain.
import rows from "../../../contract/generated/fault-words.json" with { type: "json" };
import { getValue } from "../../../platform/member-paths.ts";

/** A field by its path with its words. `{}` is replaced by its value; a value may have its own words. */
export interface FaultWord {
  path: string;
  words: string | Readonly<Record<string, string>>;
  /** Marks the fields that have an effect; a fault has at least one of them. */
  does?: true;
}

const MAX_NAME_LENGTH = 100;

/** Returns the name of an armed fault, or makes one from its fields. */
export function nameFault(fault: object): string {
  const named = getValue(fault, ["name"]);
  if (named !== undefined) return String(named);
  const kind = getValue(fault, ["delivery", "kind"]);
  const of = getValue(fault, ["delivery"])
    ? (kind ?? "deliveries")
    : describeField(fault, "operation") || "any operation";
  const doing = rows.filter(({ path, does }) => does || path === "when").map(({ path }) => path);
  const heads = [...new Set(doing.map((path) => path.split(".")[0]))];
  const ways = heads.map((head) =>
    joinWords(doing.filter((path) => path.split(".")[0] === head).map((path) => describeField(fault, path))),
  );
  return `${of}: ${joinWords(ways, " ")}`.slice(0, MAX_NAME_LENGTH);
}

/** Returns true if the fault has a field with an effect, complete or not. */
export const hasEffect = (fault: object): boolean =>
  rows.some(({ path, does }) => does && getValue(fault, path.split(".", 1)) !== undefined);

/** Describes the effect and the requests of a fault, except for what its name says already. */
export function describeFaultDetails(fault: { name: string }): string {
  return joinWords(rows.map(({ path }) => describeField(fault, path)).filter((words) => !fault.name.includes(words)));
}

const joinWords = (words: readonly string[], between = ", "): string => words.filter(Boolean).join(between);

function describeField(fault: object, path: string): string {
  const value = getValue(fault, path.split("."));
  const words = rows.find((row) => row.path === path)?.words ?? "";
  if (value === undefined) return "";
  if (typeof words === "object") return words[String(value)] ?? String(value);
  return words.replace("{}", value === true ? "" : [value].flat().join(", ")).trim();
}
