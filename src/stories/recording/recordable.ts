// Checks whether a slice of a log can become a scenario, and finds its start and end. A scenario plays in a fresh world, so it needs all
// entries since the world was created that rewinds have not undone.
import { SandboxError } from "../../client/sandbox-error.ts";
import { pickBranch } from "./branch.ts";
import { type CommitSpan, type Entry, isOverride, type Recording } from "./log-slice.ts";

/** The start and the end of the scenario: a `seq`, the id of an entry, or an instant. `start` is the start of the world. */
export interface Selection {
  /** The first entry. Default: the next entry. */
  since?: string | undefined;
  until?: string | undefined;
  /** The ids of selected entries, instead of a start and an end. */
  entries?: readonly string[] | undefined;
}

/** The entries of a scenario: a range, or selected entries of a range. */
interface Range {
  from: number;
  to: number;
  only?: ReadonlySet<string> | undefined;
}

/** `next` is the `seq` of the next entry. */
export function findRange(
  { since, until, entries: selected }: Selection,
  entries: readonly Entry[],
  spans: ReadonlyMap<string, CommitSpan>,
  next: number,
): Range {
  if (selected) return selectRange(selected, entries, spans);
  const from = findSeq(since, entries, "since") ?? next;
  return { from, to: findSeq(until, entries, "until") ?? Number.POSITIVE_INFINITY };
}

/**
 * Returns the `seq` of a position in the log; undefined if none is named. An instant selects the nearest entry: the first
 * at or after it for `since`, the last at or before it for `until`.
 */
function findSeq(text: string | undefined, entries: readonly Entry[], side: "since" | "until"): number | undefined {
  if (text === undefined) return undefined;
  if (text === "start") return 0;
  // A number is a `seq`, for which no entry need exist.
  if (/^\d+$/.test(text)) return Number(text);
  const instant = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  const found = Number.isNaN(instant)
    ? entries.find(({ id }) => id === text)
    : side === "since"
      ? entries.find(({ at }) => Date.parse(at) >= instant)
      : entries.findLast(({ at }) => Date.parse(at) <= instant);
  if (found) return found.seq;
  const what = Number.isNaN(instant)
    ? `has no entry ${text.slice(0, 60)}`
    : `has nothing ${side === "since" ? "from" : "up to"} ${text} on`;
  throw toRejection(`The log ${what}. Name a request, an act, a move of the clock, an instant, or \`start\`.`);
}

/** Creates the error that the control API would return, so that all kinds of recording fail in the same way. */
const toRejection = (message: string): SandboxError => new SandboxError(409, "NOT_RECORDABLE", message);

const RESET_ADVICE = "Reset the world: what happens from then on can be recorded.";
const FRESH_WORLD_NEEDED = "and a story plays in a fresh world";

export const toLossError = (count: number, world: string): SandboxError =>
  toRejection(
    `The log has dropped ${count} entries of the world ${world}, ${FRESH_WORLD_NEEDED}: it needs all of them. ${RESET_ADVICE}`,
  );

const ORIGINS: Readonly<Record<string, string>> = { created: "a fork", import: "an import", restore: "a snapshot" };

/** Returns the first entry, or throws if it is not the start of a fresh world. */
export function requireStart([first]: readonly Entry[], world: string): Entry {
  // A fork starts with the history of another world, which a scenario can't contain.
  if (first?.kind === "world" && /^(created|reset)$/.test(first.change) && first.detail.fork_of === undefined)
    return first;
  const why =
    first?.kind === "world"
      ? `began as ${ORIGINS[first.change] ?? first.change}`
      : "was made before this sandbox was started";
  throw toRejection(`The world ${world} ${why}, ${FRESH_WORLD_NEEDED}. ${RESET_ADVICE}`);
}

/** These changes of a world are steps, or have no effect on a scenario. */
const HARMLESS_CHANGES = ["created", "reset", "rewind", "snapshot", "fork", "assume"];

export function assertPlayable(entries: readonly Entry[], to: number): void {
  for (const entry of entries) {
    if (entry.kind !== "world" || entry.seq > to || HARMLESS_CHANGES.includes(entry.change)) continue;
    const what = ORIGINS[entry.change] ?? `a \`${entry.change}\``;
    throw toRejection(`There was ${what} at ${entry.at}, which a story can't say. ${RESET_ADVICE}`);
  }
}

/** A scenario without steps is invalid, so it is rejected. */
export function assertSteps({ scenario, leftOut }: Recording, why: string): void {
  if (scenario.steps.length === 0) throw toRejection([why, ...leftOut].join(" "));
}

/** Selects entries by their ids. Entries without an effect on a scenario, such as a snapshot, are ignored. */
function selectRange(ids: readonly string[], entries: readonly Entry[], spans: ReadonlyMap<string, CommitSpan>): Range {
  const named = new Set(ids);
  const found = entries.filter(({ id, kind }) => named.has(id) && kind !== "delivery");
  const missing = ids.find((id) => !found.some((entry) => entry.id === id));
  if (missing !== undefined)
    throw toRejection(
      `The log has no request, act or move of the clock ${missing.slice(0, 60)}. It may be of another world, or of before a reset.`,
    );
  const wanted = found.filter((entry) => entry.kind !== "world" || isOverride(entry));
  const to = wanted.at(-1)?.seq ?? 0;
  // Entries of two branches of a world can't be in one scenario.
  const branchIds = new Set(pickBranch(entries, to, spans).entries.map(({ id }) => id));
  const undone = wanted.find(({ id }) => !branchIds.has(id));
  if (undone)
    throw toRejection(
      `${undone.id} was undone by a rewind before ${wanted.at(-1)?.id} happened, so they are no story together. Choose entries of one side of the rewind.`,
    );
  return { from: 0, to, only: new Set(wanted.map(({ id }) => id)) };
}
