// Selects the entries of a log that rewinds have not undone. A rewind restores an earlier commit and undoes the entries after it; a later
// rewind may restore them. Rewinds name commits, and an entry of the log follows its commits.
import type { CommitSpan, Entry, WorldEntry } from "./log-slice.ts";

/** The entries are a linked list, so that a rewind returns to an earlier state without a copy. */
interface BranchEntry {
  entry: Entry;
  before: BranchEntry | undefined;
}

interface Branch {
  entries: Entry[];
  /** The number of entries that a rewind has undone and that were not restored. */
  undone: number;
}

/** `spans` are the commits of entries, by the id of the entry. */
export function pickBranch(entries: readonly Entry[], to: number, spans: ReadonlyMap<string, CommitSpan>): Branch {
  /** The list of entries after each commit. */
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

/** Returns the entries up to the commit. A clock move that a rewind has split ends at that commit. */
function cutShort(
  lines: readonly { seq: number; line: BranchEntry | undefined }[],
  until: number,
  { at }: Pick<WorldEntry, "at">,
  spans: ReadonlyMap<string, CommitSpan>,
): BranchEntry | undefined {
  // The commit decides and not the time, because several commits can have the same instant.
  const line = lines.findLast(({ seq }) => seq <= until)?.line;
  const next = lines.find(({ seq }) => seq > until)?.line?.entry;
  const span = next && spans.get(next.id);
  // A rewind can only split clock moves, because other entries have one commit.
  if (next?.kind !== "clock" || !span || span.first > until) return line;
  const receipt = next.receipt.filter((each) => each.at <= at);
  return { entry: { ...next, to: at, receipt }, before: line };
}
