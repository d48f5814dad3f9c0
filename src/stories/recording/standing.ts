// What of a log stands: a rewind puts the world back to a moment, and what happened after that moment is not of the branch one is on. A later
// rewind may go forth again, and then it is. Moments are numbers of commits; an entry of the log comes after the commits that it made.
import type { CommitSpan, Entry, WorldEntry } from "./log-slice.ts";

/** A linked list, so that a rewind goes back to a former line without a copy of it. */
interface BranchEntry {
  entry: Entry;
  before: BranchEntry | undefined;
}

interface Branch {
  entries: Entry[];
  /** The number of entries that a rewind has undone, and that stayed so. */
  undone: number;
}

/** `spans`: of the entries that committed something, by their ids. */
export function pickBranch(entries: readonly Entry[], to: number, spans: ReadonlyMap<string, CommitSpan>): Branch {
  /** The line as it was after each number. */
  const lines: { seq: number; line: BranchEntry | undefined }[] = [{ seq: 0, line: undefined }];
  let line: BranchEntry | undefined;
  let all = 0;
  for (const entry of entries) {
    if (entry.seq > to) break;
    const until = getRewindTarget(entry);
    if (until === undefined) {
      if (entry.kind !== "world") all++;
      line = { entry, before: line };
    } else line = cutShort(lines, until, entry, spans);
    lines.push({ seq: spans.get(entry.id)?.last ?? entry.seq, line });
  }
  const found: Entry[] = [];
  for (let at = line; at; at = at.before) found.unshift(at.entry);
  return { entries: found, undone: all - found.filter(({ kind }) => kind !== "world").length };
}

const getRewindTarget = (entry: Entry): number | undefined =>
  entry.kind === "world" && entry.change === "rewind" ? Number(entry.detail.to) : undefined;

/** What was done up to the moment. A move of the clock that a rewind cut in its middle went as far as the moment. */
function cutShort(
  lines: readonly { seq: number; line: BranchEntry | undefined }[],
  until: number,
  { at }: Pick<WorldEntry, "at">,
  spans: ReadonlyMap<string, CommitSpan>,
): BranchEntry | undefined {
  // By the commit, and not by the time: several commits can have one instant.
  const line = lines.findLast(({ seq }) => seq <= until)?.line;
  const next = lines.find(({ seq }) => seq > until)?.line?.entry;
  const span = next && spans.get(next.id);
  // Only a move of the clock makes several commits that a rewind can part.
  if (next?.kind !== "clock" || !span || span.first > until) return line;
  const receipt = next.receipt.filter((each) => each.at <= at);
  return { entry: { ...next, to: at, receipt }, before: line };
}
