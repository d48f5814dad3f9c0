// Formats the message about an unknown name, with the nearest known name, or with all known names if they are few.
import { findNearest } from "../../platform/nearest.ts";

/** A sentence lists at most this many names. */
const MAX_LISTED_NAMES = 12;
const MAX_EXCERPT_LENGTH = 80;

/** Formats "there is no act `x`; did you mean `y`?" */
export function suggest(kind: string, name: string, known: Iterable<string>): string {
  const names = [...known];
  const guess = findNearest(name, names);
  const sentence = `there is no ${kind} \`${name.slice(0, MAX_EXCERPT_LENGTH)}\``;
  if (guess !== undefined) return `${sentence}; did you mean \`${guess}\`?`;
  return names.length > 0 && names.length <= MAX_LISTED_NAMES ? `${sentence}; there are ${names.join(", ")}` : sentence;
}
