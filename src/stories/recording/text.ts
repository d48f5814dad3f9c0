// Formats a scenario as YAML: short values on one line, long ones on several. Ambiguous texts are quoted as in JSON, which is valid YAML.

import type { Json, JsonObject } from "../../platform/json.ts";
import type { Recording } from "./log-slice.ts";

/** A value within this number of characters is on one line. */
const MAX_LINE_WIDTH = 120;
/** Matches text that no YAML parser reads as a number, a date, a boolean or null. */
const PLAIN = /^(?!(?:y|n|yes|no|on|off|true|false|null|nan|inf)$)[A-Za-zÀ-ɏ][\wÀ-ɏ ./@-]*(?<! )$/i;
const PLAIN_NAME = /^(?!(?:y|n|yes|no|on|off|true|false|null)$)[A-Za-z$][\w-]*$/i;

/** Returns the text of the file. Comments say what the scenario omits. */
export function formatRecording({ scenario, leftOut }: Recording, schema?: string): string {
  const { steps, ...head } = scenario;
  const lines = [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    ...leftOut.map((sentence) => `# ${sentence.replaceAll(/\s+/g, " ")}`),
    ...formatMembers(head, 0),
    "steps:",
    ...steps
      .map((step) => formatListItem(formatMembers(step, 4), 2).join("\n"))
      .join("\n\n")
      .split("\n"),
  ];
  return `${lines.join("\n")}\n`;
}

function formatMembers(value: JsonObject, indent: number): string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const key = PLAIN_NAME.test(name) ? name : quoteYaml(name);
    const short = `${" ".repeat(indent)}${key}: ${formatFlow(each)}`;
    // A long text stays on one line, because folding would change its value.
    if (short.length <= MAX_LINE_WIDTH || isLeaf(each)) return [short];
    return [`${" ".repeat(indent)}${key}:`, ...toBlock(each, indent + 2)];
  });
}

function toBlock(value: Json, indent: number): string[] {
  if (!Array.isArray(value)) return formatMembers(value as JsonObject, indent);
  return value.flatMap((each) => {
    const short = `${" ".repeat(indent)}- ${formatFlow(each)}`;
    return short.length <= MAX_LINE_WIDTH || isLeaf(each) ? [short] : formatListItem(toBlock(each, indent + 2), indent);
  });
}

/** Replaces the end of the first line's indentation by the dash. */
function formatListItem([first = "", ...rest]: string[], indent: number): string[] {
  return [`${" ".repeat(indent)}- ${first.slice(indent + 2)}`, ...rest];
}

const isLeaf = (value: Json): boolean => value === null || typeof value !== "object" || Object.keys(value).length === 0;

/** Escapes characters that JSON allows, but that YAML reads as line breaks or rejects. */
function quoteYaml(text: string): string {
  const toUnicodeEscape = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, toUnicodeEscape);
}

function formatFlow(value: Json): string {
  if (typeof value === "string") return PLAIN.test(value) ? value : quoteYaml(value);
  if (Array.isArray(value)) return `[${value.map(formatFlow).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const pairs = Object.entries(value).map(
    ([name, each]) => `${PLAIN_NAME.test(name) ? name : quoteYaml(name)}: ${formatFlow(each)}`,
  );
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}
