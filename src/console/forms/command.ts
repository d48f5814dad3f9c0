// Formats an input as the equivalent command: as --set options while they are few and can name each field, otherwise as
// JSON.
import { formatCommand } from "../../platform/format-command.ts";
import type { Input } from "./form-model.ts";

const MAX_SET_OPTIONS = 8;

/**
 * Formats the command that sends the same input. `words` is the command and its argument, such as `act cancelBooking`.
 */
export function formatInputCommand(words: string, input: Input, world = "default"): string {
  const sets = flattenInput(input).map(([path, value]) => `--set ${quoteForShell(`${path}=${value}`)}`);
  // The command `act` alone accepts the complete input as JSON.
  const isWhole = words.startsWith("act ") && (sets.length > MAX_SET_OPTIONS || !hasPaths(input));
  const given = isWhole ? [`--data ${quoteForShell(JSON.stringify(input))}`] : sets;
  return formatCommand(
    [words, ...given, ...(world === "default" ? [] : [`--world ${quoteForShell(world)}`])].join(" "),
  );
}

/** Returns the path and value of every leaf, written so that the command reads the same value. */
function flattenInput(value: unknown, path = ""): [path: string, value: string][] {
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (members.length > 0) return members.flatMap(([name, of]) => flattenInput(of, path ? `${path}.${name}` : name));
  return path ? [[path, typeof value === "string" && !isJson(value) ? value : JSON.stringify(value)]] : [];
}

/** Returns true if every name can be written in a path. Dots, equals signs and numbers would be read as path syntax. */
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

/** Quotes the text only if the shell would interpret it. */
function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
