// What came of something: the records that it changed, the entries of the ledger, and the webhooks with the answers of their receivers;
// and of a record, what made it as it is.
import type { JournalEntry } from "../../domain/kernel/records.ts";
import type { components } from "../../generated/control.ts";
import type { Cause, Changed } from "../../world/state/commit.ts";
import type { World } from "../../world/state/world.ts";
import type { Application } from "../application.ts";
import { BEGAN } from "../commit-ring.ts";

type Schemas = components["schemas"];
type Why = Schemas["Why"];

const MOST_MESSAGES = 50;
const MOST_CHANGES = 200;

/** Bookkeeping, and what is told by itself. */
const UNTOLD: ReadonlySet<string> = new Set(["counters", "clock", "tokens", "messages", "deliveries"]);

type Consequences = Pick<Why, "facts" | "changes" | "entries" | "messages">;

/** What was committed because of a request, an act, a move of the clock or a delivery. */
export function consequencesOf(world: World, cause: string, application: Application): Consequences {
  const commits = application.history.commits(world).filter((commit) => commit.cause.id === cause);
  const changes = commits
    .flatMap((commit) => commit.changes)
    .filter(({ collection, before, after }) => !UNTOLD.has(collection) && before !== after);
  return {
    facts: commits.flatMap((commit) => commit.facts).map((fact) => ({ ...fact })),
    changes: changes.slice(0, MOST_CHANGES).map((change) => changeShown(change, application)),
    entries: changes
      .filter(({ collection, before }) => collection === "entries" && before === null)
      .map(({ after }) => entryShown(after as unknown as JournalEntry)),
    messages: messagesOf(world, cause, application),
  };
}

function changeShown(change: Changed, { history }: Application): Schemas["WhyRecord"] {
  return {
    collection: change.collection,
    id: history.shownId(change),
    change: history.changeOf(change),
    members: history.membersOf(change),
  };
}

function entryShown({ id, number, kind, currency, postings }: JournalEntry): Schemas["WhyEntry"] {
  const rows = postings.map(({ type, direction, amount }) => ({ type, direction, amount: amount.value }));
  return { id, number: String(number), kind, currency, postings: rows };
}

function messagesOf(world: World, cause: string, application: Application): Schemas["WhyMessage"][] {
  const ids = application.look(world, (tx) => tx.messages.where("cause", cause).map(({ id }) => id));
  return ids.slice(0, MOST_MESSAGES).flatMap((id) => {
    const message = application.messages.find(world, id);
    return message ? [messageShown(message)] : [];
  });
}

export function messageShown({ id, kind, deliveries }: Schemas["Message"]): Schemas["WhyMessage"] {
  return {
    id,
    kind,
    deliveries: deliveries.map(({ id, url, state, attempts }) => ({
      ...{ id, url, state },
      attempts: attempts.map(({ at, answer, error }) => ({ at, status: answer?.status ?? null, error: error ?? null })),
    })),
  };
}

/** The changes of a record, newest first. */
export function versionsOf(
  world: World,
  id: string,
  application: Application,
  title: (cause: Cause) => string,
): Schemas["WhyVersion"][] {
  const { history } = application;
  return history
    .of(world, id)
    .filter(({ collection }) => collection !== "tokens")
    .map(({ seq, at, wall_at, cause, ...version }) => ({
      ...{ seq, at, wall_at },
      cause: { ...cause, title: title(cause) },
      change: history.changeOf(version),
      members: history.membersOf(version),
    }))
    .reverse();
}

/** The collection that has a record of this id, or had one. */
export function collectionOf(world: World, id: string, { history }: Application): string | undefined {
  const known = history.of(world, id)[0]?.collection;
  const name = known ?? Object.entries(world.copy()).find(([, records]) => records.get(id))?.[0];
  return name === "tokens" ? undefined : name;
}

/** Until when the past is told. */
export function keptNote(world: World, { history }: Application): string {
  const { from, began, dropped } = history.kept(world);
  const lost =
    dropped === 0
      ? ""
      : ` ${dropped} older changes had to make room (--history-commits and --history-bytes keep more).`;
  return `The history begins at ${from.at} with ${from.seq}: ${BEGAN[began.why]}.${lost}`;
}
