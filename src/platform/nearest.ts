// The known name that someone may have meant, when one is near enough to be likely: a guess that is far off misleads.
import { distance } from "fastest-levenshtein";

/** Shorter beginnings fit too many names. */
const SHORTEST_BEGINNING = 3;

/** The known name that begins like this one, or takes the fewest changes of a letter to reach, in either case of letters. */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  const written = name.toLowerCase();
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const each of known) {
    const candidate = each.toLowerCase();
    if (written.length >= SHORTEST_BEGINNING && candidate.startsWith(written)) return each;
    const most = limitChanges(written, candidate);
    if (Math.abs(written.length - candidate.length) > most) continue;
    const changes = distance(written, candidate);
    if (changes > most || changes >= fewest) continue;
    [best, fewest] = [each, changes];
  }
  return best;
}

/** A third of the letters; two of them in a short name that begins right, and never all of them. */
export function limitChanges(name: string, candidate: string): number {
  const slips = name[0] === candidate[0] ? 2 : 1;
  return Math.min(Math.max(slips, Math.floor(name.length / 3)), name.length - 1);
}

/** " Did you mean x?", or nothing when no name is near. */
export function suggest(name: string, known: Iterable<string>): string {
  const guess = findNearest(name, known);
  return guess === undefined ? "" : ` Did you mean ${guess}?`;
}
