// An input as the command line that does the same: members one by one while they are few and a path can name each, the whole as JSON
// otherwise.
import { formatCommand } from "../../platform/format-command.ts";
import type { Input } from "./form-model.ts";

const MAX_SET_OPTIONS = 8;

/** `words`: the command with what follows it, such as `act cancelBooking`. */
export function formatInputCommand(words: string, input: Input, world = "default"): string {
  const sets = flattenInput(input).map(([path, value]) => `--set ${quoteForShell(`${path}=${value}`)}`);
  // Other commands take no whole, and their members have paths for names.
  const isWhole = words.startsWith("act ") && (sets.length > MAX_SET_OPTIONS || !hasPaths(input));
  const given = isWhole ? [`--data ${quoteForShell(JSON.stringify(input))}`] : sets;
  return formatCommand(
    [words, ...given, ...(world === "default" ? [] : [`--world ${quoteForShell(world)}`])].join(" "),
  );
}

/** Each member that has no members, by its path, written so that the command reads the same value. */
function flattenInput(value: unknown, path = ""): [path: string, value: string][] {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (members.length > 0) return members.flatMap(([name, of]) => flattenInput(of, path ? `${path}.${name}` : name));
  return path ? [[path, typeof value === "string" && !isJson(value) ? value : JSON.stringify(value)]] : [];
}

/** A point, an equals sign or a number that is the name of a member would be read as a part of the path. */
function hasPaths(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const isNamed = Array.isArray(value) || Object.keys(value).every((name) => /^(?!\d+$)[^.=]+$/.test(name));
  return isNamed && Object.values(value).every(hasPaths);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Plain where a shell leaves it alone, otherwise in quotes in which nothing is interpreted. */
function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
