// What a fault does, in the words that the specification gives its members: its name where it was given none, and what its name does
// not say.
import rows from "../../../contract/generated/fault-words.json" with { type: "json" };
import { getValue } from "../../../platform/member-paths.ts";

/** A member by its path, and its words, in which `{}` is its value; a value may have its own. */
export interface FaultWord {
  path: string;
  words: string | Readonly<Record<string, string>>;
  /** A fault has at least one of those that do something. */
  does?: true;
}

const LONGEST = 100;

/** `fault`: as it is armed. */
export function nameFault(fault: object): string {
  const named = getValue(fault, ["name"]);
  if (named !== undefined) return String(named);
  const kind = getValue(fault, ["delivery", "kind"]);
  const of = getValue(fault, ["delivery"]) ? (kind ?? "deliveries") : wordsAt(fault, "operation") || "any operation";
  const doing = rows.filter(({ path, does }) => does || path === "when").map(({ path }) => path);
  const heads = [...new Set(doing.map((path) => path.split(".")[0]))];
  const ways = heads.map((head) =>
    joined(doing.filter((path) => path.split(".")[0] === head).map((path) => wordsAt(fault, path))),
  );
  return `${of}: ${joined(ways, " ")}`.slice(0, LONGEST);
}

/** What it does and which requests it hits, in so far as its name does not say it. */
export function wordsBesideName(fault: { name: string }): string {
  return joined(rows.map(({ path }) => wordsAt(fault, path)).filter((words) => !fault.name.includes(words)));
}

const joined = (words: readonly string[], between = ", "): string => words.filter(Boolean).join(between);

function wordsAt(fault: object, path: string): string {
  const value = getValue(fault, path.split("."));
  const words = rows.find((row) => row.path === path)?.words ?? "";
  if (value === undefined) return "";
  if (typeof words === "object") return words[String(value)] ?? String(value);
  return words.replace("{}", value === true ? "" : [value].flat().join(", ")).trim();
}
