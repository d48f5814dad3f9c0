// What something led to: the records that it changed, the entries of the ledger, and the webhooks with the answers of their receivers;
// and of a record, what made it as it is.

import { isDeepStrictEqual } from "node:util";
import type { Schemas } from "../../contract/schemas.ts";
import { optional } from "../../platform/optional.ts";
import type { HistoryPort, RequestsPort, WebhooksPort, WorldsPort } from "../app/application.ts";
import { showChange, showId } from "../app/differences.ts";
import { BEGAN } from "../domain/kernel/beginnings.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import { getCausedMessages } from "../domain/kernel/lookups.ts";
import type { Delivery, Experience, JournalEntry, Message } from "../domain/kernel/records.ts";
import { getExponent } from "../domain/money/currency.ts";
import { CommitChanges } from "../log/past.ts";
import type { Cause, CommittedChange, PastCommit } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";

export type Why = Schemas["Why"];

/** For one reader; the console has the rest. */
const MOST_MESSAGES = 50;
const MOST_CHANGES = 200;

/** Bookkeeping, and what the story has in a part of its own. */
const UNTOLD: ReadonlySet<string> = new Set(["counters", "clock", "tokens", "messages", "deliveries"]);

type Telling = HistoryPort & RequestsPort & WebhooksPort;
type Consequences = Pick<Why, "facts" | "changes" | "entries" | "messages">;

/** What was committed because of a request, an act, a move of the clock or a delivery. */
export function listEffects(world: World, cause: string, application: Telling): Consequences {
  const { history } = application;
  const rewinds = history.listRewinds(world);
  const messages = [...listMessages(world, cause, application), ...listUndone(world, cause, application)];
  return {
    ...selectFacts(history.listCaused(world, cause), (commit) => history.findUndo(world, commit, rewinds)?.seq),
    messages: messages.slice(0, MOST_MESSAGES),
  };
}

/** The same of steps of a fixture, which send nothing. */
export const sumSteps = (commits: readonly PastCommit[]): Consequences => ({
  ...selectFacts(commits),
  messages: [],
});

/** `findUndo`: the number of the rewind that undid a commit. */
function selectFacts<C extends { facts: readonly Fact[]; changes: Iterable<CommittedChange> }>(
  commits: readonly C[],
  undoneBy: (commit: C) => number | undefined = () => undefined,
): Omit<Consequences, "messages"> {
  return {
    facts: commits.flatMap((commit) => [...commit.facts]),
    changes: listVisibleChanges(commits).map(showVisibleChange),
    entries: commits.flatMap((commit) => listEntries(commit.changes, undoneBy(commit))),
  };
}

/** Stops at the limit, because a commit may change thousands of records. */
function listVisibleChanges(commits: readonly { changes: Iterable<CommittedChange> }[]): CommittedChange[] {
  const visible: CommittedChange[] = [];
  for (const { changes } of commits)
    for (const change of changes instanceof CommitChanges ? changes.walkOthers(UNTOLD) : changes) {
      if (UNTOLD.has(change.collection) || isDeepStrictEqual(change.before, change.after)) continue;
      visible.push(change);
      if (visible.length === MOST_CHANGES) return visible;
    }
  return visible;
}

/** Of several causes, in one. */
export function merge(all: readonly Consequences[]): Consequences {
  return {
    facts: all.flatMap(({ facts }) => facts).slice(0, MOST_CHANGES),
    changes: all.flatMap(({ changes }) => changes).slice(0, MOST_CHANGES),
    entries: all.flatMap(({ entries }) => entries).slice(0, MOST_CHANGES),
    messages: all.flatMap(({ messages }) => messages).slice(0, MOST_MESSAGES),
  };
}

function showVisibleChange(change: CommittedChange): Schemas["WhyRecord"] {
  return { collection: change.collection, id: showId(change), ...showChange(change) };
}

const listEntries = (changes: Iterable<CommittedChange>, undone_by: number | undefined): Schemas["WhyEntry"][] =>
  selectCollection(changes, "entries")
    .filter(({ before }) => before === null)
    .map(({ after }) => ({ ...showEntry(after as unknown as JournalEntry), ...optional({ undone_by }) }));

const selectCollection = (changes: Iterable<CommittedChange>, name: string): CommittedChange[] =>
  changes instanceof CommitChanges
    ? changes.listOfCollection(name)
    : [...changes].filter(({ collection }) => collection === name);

function showEntry({ id, number, kind, currency, postings }: JournalEntry): Schemas["WhyEntry"] {
  const rows = postings.map(({ type, direction, amount }) => ({ type, direction, amount: amount.value }));
  return { id, number: String(number), kind, currency, exponent: getExponent(currency), postings: rows };
}

function listMessages(world: World, cause: string, application: RequestsPort & WebhooksPort): Schemas["WhyMessage"][] {
  const ids = application.read(world, (tx) => getCausedMessages(tx, cause));
  return ids.slice(0, MOST_MESSAGES).flatMap((id) => {
    const message = application.messages.find(world, id);
    return message ? [showMessage(message)] : [];
  });
}

/** Those that a rewind took away, as they were then: receivers have them all the same. */
function listUndone(world: World, cause: string, application: HistoryPort): Schemas["WhyMessage"][] {
  const undone = application.history.listRewindsMentioning(world, cause).flatMap(({ seq, changes }) => {
    const isGone = ({ after }: CommittedChange) => after === null;
    const deliveries = changes
      .listOfCollection("deliveries")
      .filter(isGone)
      .map(({ before }) => before as unknown as Delivery);
    return changes
      .listOfCollection("messages")
      .filter(isGone)
      .map(({ before }) => before as unknown as Message)
      .filter((message) => message.caused_by === cause && !world.find(message.id))
      .map((message) => ({
        ...showMessage({ ...message, deliveries: deliveries.filter(({ message_id }) => message_id === message.id) }),
        undone_by: seq,
      }));
  });
  // One that came back between two rewinds is gone by the later one.
  return [...new Map(undone.map((message) => [message.id, message])).values()];
}

/** What is told of a message. */
interface Sent extends Pick<Message, "id" | "kind"> {
  deliveries: readonly (Pick<Delivery, "id" | "url" | "state"> & {
    in_flight_ms?: number;
    attempts: readonly { at: string; answer: { status: number } | null; error?: string }[];
  })[];
}

export function showMessage({ id, kind, deliveries }: Sent): Schemas["WhyMessage"] {
  return {
    id,
    kind,
    deliveries: deliveries.map(({ id, url, state, in_flight_ms, attempts }) => ({
      ...{ id, url, state },
      ...(in_flight_ms === undefined ? {} : { in_flight_ms }),
      attempts: attempts.map(({ at, answer, error }) => ({ at, status: answer?.status ?? null, error: error ?? null })),
    })),
  };
}

/** A record, and its versions in the log. */
interface RecordPast {
  world: World;
  id: string;
  versions: Awaited<ReturnType<HistoryPort["history"]["listVersions"]>>;
}

/** The changes of a record, newest first: those of the history, and before it those of the fixture. */
export function toVersions(
  past: RecordPast,
  steps: readonly PastCommit[],
  title: (cause: Cause) => string,
): Schemas["WhyVersion"][] {
  const { world, id, versions } = past;
  const later = versions.map(({ seq, at, wall_at, cause, ...version }) => ({
    seq,
    at,
    wall_at,
    cause: { ...cause, title: title(cause) },
    ...showChange(version),
  }));
  const earlier = steps.flatMap((commit) =>
    commit.changes
      .filter((change) => change.id === id && change.before !== change.after && !UNTOLD.has(change.collection))
      .map((version) => ({
        seq: null,
        at: commit.at,
        wall_at: null,
        cause: showStep(commit, world),
        ...showChange(version),
      })),
  );
  return [...earlier, ...later].reverse();
}

const showStep = ({ step, title }: PastCommit, world: World): Schemas["WhyCause"] => ({
  kind: "fixture",
  id: step,
  title: `${title} of the fixture ${world.identity()?.origin.fixture ?? ""}`,
});

/** Oldest first; none where the record was other than they left it when the history began, so that they are not its past. */
export async function listSteps(
  { world, id, versions }: RecordPast,
  { states }: Pick<WorldsPort, "states">,
): Promise<readonly PastCommit[]> {
  const first = versions[0];
  const began = first ? first.before : world.find(id)?.record;
  // What was made later need not be looked for in the fixture, which is played for that.
  if (!began) return [];
  const all = await states.listFixtureSteps(world);
  const steps = all.filter(({ changes }) => changes.some((change) => change.id === id));
  const left = steps.at(-1)?.changes.findLast((change) => change.id === id)?.after;
  return JSON.stringify(began) === JSON.stringify(left) ? steps : [];
}

/** The collection that has a record of this id, or had one. */
export function findCollection({ world, id, versions }: RecordPast): string | undefined {
  const name = versions[0]?.collection ?? world.find(id)?.collection;
  return name === "tokens" ? undefined : name;
}

/** The record that a person means by a number, or by the id of one of its parts: of an order, of its payments and refunds, of an entry. */
export function recordMeant(world: World, text: string, application: RequestsPort): string | undefined {
  return application.read(world, (tx) => {
    const isNumber = /^\d{1,12}$/.test(text);
    const order = isNumber ? tx.orders.where("number", text)[0] : tx.orders.where("part", text)[0];
    if (order) return order.id;
    const experience = isNumber
      ? undefined
      : [...tx.experiences.walk("created")].find((each) => hasVariant(each, text));
    if (experience) return experience.id;
    // A higher number was never given, and need not be looked for.
    const isGiven = isNumber && Number(text) <= (tx.counters.get("counters")?.entries ?? 0);
    return isGiven ? tx.entries.where("number", text)[0]?.id : undefined;
  });
}

/** Whether a ticket variant or an add-on of the experience has the id. */
function hasVariant({ ticket_variants }: Experience, id: string): boolean {
  return ticket_variants.some((each) => each.id === id || each.add_on_variants.some((addOn) => addOn.id === id));
}

/** What rewinds undid of a request, an act or a move of the clock, and how it comes back. */
export function noteUndone(world: World, cause: string, application: HistoryPort): string[] {
  const { history } = application;
  const all = history.listRewinds(world);
  if (all.length === 0) return [];
  const own = history.listCaused(world, cause);
  const rewinds = new Map(
    own.flatMap((commit) => history.findUndo(world, commit, all) ?? []).map((each) => [each.seq, each]),
  );
  const isSent = listUndone(world, cause, application).some(({ deliveries }) => deliveries.length > 0);
  const sent = isSent ? " Who has received its webhooks keeps them." : "";
  return [...rewinds.values()].map(({ seq, to }) => {
    const { at } = history.findPointBefore(world, seq + 1);
    const isWhole = own.every((commit) => commit.seq > to);
    const what = isWhole ? "when this was not done yet, and so undid it" : "in its midst, and so undid the rest of it";
    return `The rewind ${seq} put the world back to ${at}, ${what}.${sent} \`sandbox rewind ${history.findPointBefore(world, seq).seq}\` brings it back.`;
  });
}

/** How far back the history goes, in a sentence. */
export function noteRetention(world: World, { history }: HistoryPort): string {
  const { from, began, dropped } = history.describeRetained(world);
  const lost =
    dropped === 0 ? "" : ` ${dropped} older entries are no longer in the log (the option \`log-bytes\` keeps more).`;
  return `The history begins at ${from.at} with ${from.seq}: ${BEGAN[began.why]}.${lost}`;
}
