// Whether a slice of a log can become a story, which plays in a fresh world and so needs everything since the world was one; and where in
// the log the story begins and ends.

import { SandboxError } from "../../client/sandbox-error.ts";
import { type CommitSpan, type Entry, isFlip, type Recording } from "./log-slice.ts";
import { pickBranch } from "./standing.ts";

/** A place in the log; undefined: none is named. An instant stands for the first entry from it on, or for the last one up to it. */
export function findSeq(
  text: string | undefined,
  entries: readonly Entry[],
  side: "since" | "until",
): number | undefined {
  if (text === undefined) return undefined;
  if (text === "start") return 0;
  // A number is a `seq`, and need not be that of an entry.
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

/** As the control API would answer, so that every way of recording fails alike. */
export const toRejection = (message: string): SandboxError => new SandboxError(409, "NOT_RECORDABLE", message);

const RESET_ADVICE = "Reset the world: what happens from then on can be recorded.";
const FRESH_WORLD_NEEDED = "and a story plays in a fresh world";

export const describeLost = (count: number, world: string): string =>
  `The log has dropped ${count} entries of the world ${world}, ${FRESH_WORLD_NEEDED}: it needs all of them. ${RESET_ADVICE}`;

const ORIGINS: Readonly<Record<string, string>> = { created: "a fork", import: "an import", restore: "a snapshot" };

/** A story needs everything since the world was a fresh one. */
export function mustBegin([first]: readonly Entry[], world: string): Entry {
  // A fork begins with the past of another world, which no story has.
  if (first?.kind === "world" && /^(created|reset)$/.test(first.change) && first.detail.fork_of === undefined)
    return first;
  const why =
    first?.kind === "world"
      ? `began as ${ORIGINS[first.change] ?? first.change}`
      : "was made before this sandbox was started";
  throw toRejection(`The world ${world} ${why}, ${FRESH_WORLD_NEEDED}. ${RESET_ADVICE}`);
}

/** Changes of a world that a story can tell, or need not. */
const HARMLESS_CHANGES = ["created", "reset", "rewind", "snapshot", "fork", "assume"];

export function mustBePlayable(entries: readonly Entry[], to: number): void {
  for (const entry of entries) {
    if (entry.kind !== "world" || entry.seq > to || HARMLESS_CHANGES.includes(entry.change)) continue;
    const what = ORIGINS[entry.change] ?? `a \`${entry.change}\``;
    throw toRejection(`There was ${what} at ${entry.at}, which a story can't say. ${RESET_ADVICE}`);
  }
}

/** A scenario without steps would not be valid. */
export function mustHaveSteps({ scenario, leftOut }: Recording, why: string): void {
  if (scenario.steps.length === 0) throw toRejection([why, ...leftOut].join(" "));
}

/** Which entries a story has: those from one to another, or of these only some. */
export interface Chosen {
  from: number;
  to: number;
  only?: ReadonlySet<string> | undefined;
}

/** Those that somebody chose one by one. What changes nothing that a story could say, such as a snapshot, may be among them. */
export function choose(
  ids: readonly string[],
  entries: readonly Entry[],
  spans: ReadonlyMap<string, CommitSpan>,
): Chosen {
  const named = new Set(ids);
  const found = entries.filter(({ id, kind }) => named.has(id) && kind !== "delivery");
  const missing = ids.find((id) => !found.some((entry) => entry.id === id));
  if (missing !== undefined)
    throw toRejection(
      `The log has no request, act or move of the clock ${missing.slice(0, 60)}. It may be of another world, or of before a reset.`,
    );
  const wanted = found.filter((entry) => entry.kind !== "world" || isFlip(entry));
  const to = wanted.at(-1)?.seq ?? 0;
  // Entries of two branches of a world never happened in one story.
  const standingIds = new Set(pickBranch(entries, to, spans).entries.map(({ id }) => id));
  const undone = wanted.find(({ id }) => !standingIds.has(id));
  if (undone)
    throw toRejection(
      `${undone.id} was undone by a rewind before ${wanted.at(-1)?.id} happened, so they are no story together. Choose entries of one side of the rewind.`,
    );
  return { from: 0, to, only: new Set(wanted.map(({ id }) => id)) };
}
