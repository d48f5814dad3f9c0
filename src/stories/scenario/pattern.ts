// The patterns of $match, by an engine whose time grows with the text and never faster (RE2): no scenario can hang the player.
import { RE2JS } from "re2js";

/** Lookaround and back-references, which no engine can find in linear time. */
const NOT_LINEAR = /(?<!\\)(?:\\\\)*(?:\(\?<?[=!]|\\[1-9]|\\k<)/;

// Patterns are few, and each is held against many answers.
const compiled = new Map<string, RE2JS>();

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  const made = RE2JS.compile(RE2JS.translateRegExp(pattern));
  compiled.set(pattern, made);
  return made;
}

/** Why this is no pattern; undefined when it is one. */
export function explainInvalidPattern(pattern: unknown): string | undefined {
  if (typeof pattern !== "string") return `a pattern is a text, but this is ${JSON.stringify(pattern)}`;
  if (NOT_LINEAR.test(pattern))
    return `\`${pattern}\` has a lookaround or a back-reference, which patterns here can't have; write it without`;
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, "").replace(/: `.*`$/s, "");
    return `\`${pattern}\` is not a regular expression: ${reason}`;
  }
}

/** Whether the pattern is found in the text; one that is no pattern is found in none. */
export const matchesPattern = (pattern: unknown, text: string): boolean =>
  explainInvalidPattern(pattern) === undefined && compile(String(pattern)).matcher(text).find();
