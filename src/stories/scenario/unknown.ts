// The sentence about an unknown name: with the nearest known name, or with all known names when they are few.
import { nearest } from "../../platform/nearest.ts";

/** So many names can be listed in a sentence. */
const FEW = 12;
const LONGEST_EXCERPT = 80;

/** "there is no act `x`; did you mean `y`?" */
export function unknown(kind: string, name: string, known: Iterable<string>): string {
  const names = [...known];
  const guess = nearest(name, names);
  const sentence = `there is no ${kind} \`${name.slice(0, LONGEST_EXCERPT)}\``;
  if (guess !== undefined) return `${sentence}; did you mean \`${guess}\`?`;
  return names.length > 0 && names.length <= FEW ? `${sentence}; there are ${names.join(", ")}` : sentence;
}
