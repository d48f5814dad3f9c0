// Matches the patterns of $match with RE2, whose time is linear in the text, so that no scenario can block the player.
import { RE2JS } from "re2js";

/** Lookarounds and back-references can't be matched in linear time. */
const NOT_LINEAR = /(?<!\\)(?:\\\\)*(?:\(\?<?[=!]|\\[1-9]|\\k<)/;

// Compiled patterns are cached, because each is compared with many responses.
const compiled = new Map<string, RE2JS>();

function compile(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  const made = RE2JS.compile(RE2JS.translateRegExp(pattern));
  compiled.set(pattern, made);
  return made;
}

/** Returns why the pattern is invalid; undefined if it is valid. */
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

/** Returns whether the text contains the pattern. An invalid pattern matches nothing. */
export const matchesPattern = (pattern: unknown, text: string): boolean =>
  explainInvalidPattern(pattern) === undefined && compile(String(pattern)).matcher(text).find();
