// Finds the known name that a user probably meant. A guess that is far off would mislead, so only close names count.
import { distance } from "fastest-levenshtein";

/** Shorter beginnings fit too many names. */
const SHORTEST_BEGINNING = 3;

/** Returns the known name that begins like this one, or needs the fewest changed letters; case is ignored. */
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

/** Limits the changes to a third of the letters; two in a short name with the right first letter, and never all. */
export function limitChanges(name: string, candidate: string): number {
  const slips = name[0] === candidate[0] ? 2 : 1;
  return Math.min(Math.max(slips, Math.floor(name.length / 3)), name.length - 1);
}

/** Formats " Did you mean x?", or an empty text when no name is near. */
export function suggest(name: string, known: Iterable<string>): string {
  const guess = findNearest(name, known);
  return guess === undefined ? "" : ` Did you mean ${guess}?`;
}
