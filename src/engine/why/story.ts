// Lists the effects of a request, an act, a clock move or a delivery: changed records, accounting entries, and webhooks
// with the responses of their receivers. It also lists the history of a record.

import { isDeepStrictEqual } from "node:util";
import type { Schemas } from "../../contract/schemas.ts";
import { optional } from "../../platform/optional.ts";
import type { HistoryPort, RequestsPort, WebhooksPort } from "../app/application.ts";
import { showChange, showId } from "../app/differences.ts";
import { BEGAN } from "../domain/kernel/beginnings.ts";
import { getCausedMessages } from "../domain/kernel/lookups.ts";
import type { Delivery, Experience, JournalEntry, Message } from "../domain/kernel/records.ts";
import { getExponent } from "../domain/money/currency.ts";
import type { Commit, CommitChanges } from "../log/past.ts";
import type { Cause, CommittedChange } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";

export type Why = Schemas["Why"];

/** The limits keep the response readable; the console shows the rest. */
const MAX_MESSAGES = 50;
const MAX_CHANGES = 200;

/** Internal collections, and collections that the trace shows in another section. */
const OMITTED: ReadonlySet<string> = new Set(["counters", "clock", "tokens", "messages", "deliveries"]);

type EffectPorts = HistoryPort & RequestsPort & WebhooksPort;
type Consequences = Pick<Why, "facts" | "changes" | "entries" | "messages">;

/** Lists the changes that were committed because of a request, an act, a clock move or a delivery. */
export function listEffects(world: World, cause: string, application: EffectPorts): Consequences {
  const { history } = application;
  const rewinds = history.listRewinds(world);
  const messages = [...findMessages(world, cause, application), ...listUndone(world, cause, application)];
  return {
    ...selectFacts(history.listCaused(world, cause), (commit) => history.findUndo(world, commit, rewinds)?.seq),
    messages: messages.slice(0, MAX_MESSAGES),
  };
}

/** `undoneBy` returns the number of the rewind that undid a commit. */
function selectFacts(
  commits: readonly Commit[],
  undoneBy: (commit: Commit) => number | undefined,
): Omit<Consequences, "messages"> {
  return {
    facts: commits.flatMap((commit) => [...commit.facts]),
    changes: listVisibleChanges(commits).map(showVisibleChange),
    entries: commits.flatMap((commit) => listEntries(commit.changes, undoneBy(commit))),
  };
}

/** Stops at the limit, because a commit may change thousands of records. */
function listVisibleChanges(commits: readonly Commit[]): CommittedChange[] {
  const visible: CommittedChange[] = [];
  for (const { changes } of commits)
    for (const change of changes.walkOthers(OMITTED)) {
      if (isDeepStrictEqual(change.before, change.after)) continue;
      visible.push(change);
      if (visible.length === MAX_CHANGES) return visible;
    }
  return visible;
}

/** Merges the effects of several causes. */
export function mergeEffects(all: readonly Consequences[]): Consequences {
  return {
    facts: all.flatMap(({ facts }) => facts).slice(0, MAX_CHANGES),
    changes: all.flatMap(({ changes }) => changes).slice(0, MAX_CHANGES),
    entries: all.flatMap(({ entries }) => entries).slice(0, MAX_CHANGES),
    messages: all.flatMap(({ messages }) => messages).slice(0, MAX_MESSAGES),
  };
}

function showVisibleChange(change: CommittedChange): Schemas["WhyRecord"] {
  return { collection: change.collection, id: showId(change), ...showChange(change) };
}

const listEntries = (changes: CommitChanges, undone_by: number | undefined): Schemas["WhyEntry"][] =>
  changes
    .findByCollection("entries")
    .filter(({ before }) => before === null)
    .map(({ after }) => ({ ...showEntry(after as unknown as JournalEntry), ...optional({ undone_by }) }));

function showEntry({ id, number, kind, currency, postings }: JournalEntry): Schemas["WhyEntry"] {
  const rows = postings.map(({ type, direction, amount }) => ({ type, direction, amount: amount.value }));
  return { id, number: String(number), kind, currency, exponent: getExponent(currency), postings: rows };
}

function findMessages(world: World, cause: string, application: RequestsPort & WebhooksPort): Schemas["WhyMessage"][] {
  const ids = application.read(world, (tx) => getCausedMessages(tx, cause));
  return ids.slice(0, MAX_MESSAGES).flatMap((id) => {
    const message = application.messages.find(world, id);
    return message ? [showMessage(message)] : [];
  });
}

/** Lists the messages that a rewind removed, in their last state, because receivers still have them. */
function listUndone(world: World, cause: string, application: HistoryPort): Schemas["WhyMessage"][] {
  const undone = application.history.listRewindsMentioning(world, cause).flatMap(({ seq, changes }) => {
    const isGone = ({ after }: CommittedChange) => after === null;
    const deliveries = changes
      .findByCollection("deliveries")
      .filter(isGone)
      .map(({ before }) => before as unknown as Delivery);
    return changes
      .findByCollection("messages")
      .filter(isGone)
      .map(({ before }) => before as unknown as Message)
      .filter((message) => message.caused_by === cause && !world.find(message.id))
      .map((message) => ({
        ...showMessage({ ...message, deliveries: deliveries.filter(({ message_id }) => message_id === message.id) }),
        undone_by: seq,
      }));
  });
  // A message that two rewinds removed is listed once, with the later rewind.
  return [...new Map(undone.map((message) => [message.id, message])).values()];
}

interface MessageSource extends Pick<Message, "id" | "kind"> {
  deliveries: readonly (Pick<Delivery, "id" | "url" | "state"> & {
    in_flight_ms?: number;
    attempts: readonly { at: string; answer: { status: number } | null; error?: string }[];
  })[];
}

export function showMessage({ id, kind, deliveries }: MessageSource): Schemas["WhyMessage"] {
  return {
    id,
    kind,
    deliveries: deliveries.map(({ id, url, state, in_flight_ms, attempts }) => ({
      id,
      url,
      state,
      ...(in_flight_ms === undefined ? {} : { in_flight_ms }),
      attempts: attempts.map(({ at, answer, error }) => ({ at, status: answer?.status ?? null, error: error ?? null })),
    })),
  };
}

/** A record and its versions in the log. */
interface RecordPast {
  world: World;
  id: string;
  versions: Awaited<ReturnType<HistoryPort["history"]["listVersions"]>>;
}

/**
 * Lists the changes of a record, newest first. A record that the history began with was created by the world's fixture.
 */
export function toVersions(
  { world, id, versions }: RecordPast,
  title: (cause: Cause) => string,
  began: Schemas["Kept"]["began"],
): Schemas["WhyVersion"][] {
  const later = versions.map(({ seq, at, wall_at, cause, ...version }) => ({
    seq,
    at,
    wall_at,
    cause: { ...cause, title: title(cause) },
    ...showChange(version),
  }));
  const after = versions[0] ? versions[0].before : (world.find(id)?.record ?? null);
  const fixture = world.identity()?.origin.fixture;
  if (!after || fixture === undefined || !["created", "reset"].includes(began.why)) return later.reverse();
  const cause = { kind: "fixture", id: fixture, title: `the fixture ${fixture}` } as const;
  const first = { seq: null, at: began.at, wall_at: null, cause, ...showChange({ before: null, after }) };
  return [first, ...later].reverse();
}

/** Returns the collection that has or had a record with this id. */
export function findCollection({ world, id, versions }: RecordPast): string | undefined {
  const name = versions[0]?.collection ?? world.find(id)?.collection;
  return name === "tokens" ? undefined : name;
}

/** Returns the id of the record with this number, or with a part that has this id, such as a payment of an order. */
export function findRecordId(world: World, text: string, application: RequestsPort): string | undefined {
  return application.read(world, (tx) => {
    const isNumber = /^\d{1,12}$/.test(text);
    const order = isNumber ? tx.orders.where("number", text)[0] : tx.orders.where("part", text)[0];
    if (order) return order.id;
    const experience = isNumber
      ? undefined
      : [...tx.experiences.walk("created")].find((each) => hasVariant(each, text));
    if (experience) return experience.id;
    // Numbers above the counter were never assigned, so no search is needed.
    const isGiven = isNumber && Number(text) <= (tx.counters.get("counters")?.entries ?? 0);
    return isGiven ? tx.entries.where("number", text)[0]?.id : undefined;
  });
}

/** Returns whether a ticket variant or an add-on of the experience has the id. */
function hasVariant({ ticket_variants }: Experience, id: string): boolean {
  return ticket_variants.some((each) => each.id === id || each.add_on_variants.some((addOn) => addOn.id === id));
}

/** Notes which rewinds undid the effects of a request, an act or a clock move, and how to restore them. */
export function noteUndone(world: World, cause: string, application: HistoryPort): string[] {
  const { history } = application;
  const all = history.listRewinds(world);
  if (all.length === 0) return [];
  const own = history.listCaused(world, cause);
  const rewinds = new Map(
    own.flatMap((commit) => history.findUndo(world, commit, all) ?? []).map((each) => [each.seq, each]),
  );
  const isSent = listUndone(world, cause, application).some(({ deliveries }) => deliveries.length > 0);
  const sent = isSent ? " Receivers may already have its webhooks." : "";
  return [...rewinds.values()].map(({ seq, to }) => {
    const { at } = history.findPointBefore(world, seq + 1);
    const isWhole = own.every((commit) => commit.seq > to);
    const what = isWhole ? "and undid everything that this caused" : "and undid a part of what this caused";
    return `Rewind ${seq} restored the world of ${at} ${what}.${sent} \`sandbox rewind ${history.findPointBefore(world, seq).seq}\` restores them.`;
  });
}

/** Returns a sentence that says where the history begins. */
export function noteRetention({ from, began, dropped }: Schemas["Kept"]): string {
  const lost =
    dropped === 0 ? "" : ` ${dropped} older entries are no longer in the log (the option \`log-bytes\` keeps more).`;
  return `The history begins at ${from.at} with ${from.seq}: ${BEGAN[began.why]}.${lost}`;
}
