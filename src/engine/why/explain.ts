// Explains anything with an id. The log has the events, and the world has the records.

import type { Schemas } from "../../contract/schemas.ts";
import { formatStates } from "../../platform/states-text.ts";
import { type Fact, MAX_LISTED, toWords } from "../domain/kernel/facts.ts";
import { defineHandlers, ok } from "../http/control/handler.ts";
import { HttpError } from "../http/errors.ts";
import type { Answer } from "../http/exchange.ts";
import { REWIND } from "../log/past.ts";
import type { LogEntry } from "../log/view.ts";
import {
  findCause,
  findEntry,
  findLatest,
  listCauses,
  listNext,
  toOutcome,
  toTitle,
  toWall,
  type WhyCause,
  type WhyContext,
} from "./entries.ts";
import { type ExplainContext, explainRefusal } from "./refusal.ts";
import {
  findCollection,
  findRecordId,
  listEffects,
  mergeEffects,
  noteRetention,
  noteUndone,
  showMessage,
  toVersions,
  type Why,
} from "./story.ts";
import { LOOK_FIRST } from "./transport-rules.ts";

type Refusal = NonNullable<Why["refusal"]>;
type WhyVersion = Schemas["WhyVersion"];
type Explanation = Omit<Why, "world" | "clock" | "fact_count" | "entry_count">;

/** The empty lists that every explanation has. */
// biome-ignore lint/suspicious/noThenProperty: a field of the trace; it is a list, so it is never awaited
const EMPTY = { facts: [], changes: [], entries: [], messages: [], then: [] };

export const why = defineHandlers({
  async explain({ application, world, path }) {
    const context = { application, world };
    const { id } = path;
    const entry = findEntry(id, context);
    const found = entry
      ? await readEntry(entry, context)
      : ((await readMessage(id, context)) ??
        (await readDelivery(id, context)) ??
        (await readRecord(id, context)) ??
        (await readPart(id, context)));
    return found ? createWhyResponse(found, context) : rejectId(id, context);
  },
  async explainLatestRefusal({ application, world }) {
    const context = { application, world };
    const { entry, byHand } = findLatest(context);
    if (entry) {
      const why = await readEntry(entry, context);
      const later = byHand ? [`${byHand.id}, which a person sent, was rejected later.`] : [];
      return createWhyResponse({ ...why, ...(byHand ? { notes: [...(why.notes ?? []), ...later] } : {}) }, context);
    }
    throw new HttpError(
      404,
      `The log of world ${context.world.id} has no rejected request. Name the id of an entry or a record to explain it.`,
    );
  },
});

function createWhyResponse(why: Explanation, { world, application }: ExplainContext): Answer {
  const running = application.findQuarantine(world) === undefined && application.clock.show(world).mode === "running";
  return ok({
    ...why,
    facts: why.facts.slice(0, MAX_LISTED),
    fact_count: why.facts.length,
    entries: why.entries.slice(0, MAX_LISTED),
    entry_count: why.entries.length,
    world: world.id,
    clock: running ? "running" : "held",
  });
}

async function readEntry(entry: LogEntry, context: ExplainContext): Promise<Explanation> {
  const { world, application } = context;
  const { id, kind, at, caused_by } = entry;
  const refusal = await explainRefusal(entry, world, application);
  const title = toTitle(entry, application);
  const byHand = entry.by_hand ? ["A person sent it from the console or the terminal."] : [];
  const notes = [...noteUndone(world, id, application), ...byHand];
  return {
    ...EMPTY,
    id,
    kind: kind as Why["kind"],
    at,
    wall_at: toWall(entry),
    title: refusal ? title : `${title} ${toOutcome(entry, application)}`.trim(),
    ...(refusal ? { refusal: explainLostResponse(refusal, entry, context) } : {}),
    ...toCause(caused_by === undefined ? [] : listCauses(caused_by, context)),
    ...listEffects(world, id, application),
    ...(notes.length > 0 ? { notes } : {}),
    // biome-ignore lint/suspicious/noThenProperty: a field of the trace; it is a list, so it is never awaited
    then: listNext(entry, context),
  };
}

/**
 * Explains that this request or an earlier identical one was carried out, if only its response was lost. Then no retry
 * is advised.
 */
function explainLostResponse(refusal: Refusal, entry: LogEntry, context: WhyContext): Refusal {
  const lost = refusal.rule === "fault-injected" && entry.facts.length > 0;
  const first = lost ? entry : context.application.log.findTwin(entry);
  if (!first) return refusal;
  const made = findCreationFact(first);
  const what = made ? ` and created ${nameFact(made)}` : "";
  const message = [
    `${lost ? "It" : `${first.id}, the same request,`} was carried out${what}; only its response was lost.`,
    ...(lost && made ? noteDuplicate(entry, context) : []),
    refusal.message,
  ];
  return {
    ...refusal,
    message: message.filter((text) => text !== "").join(" "),
    ...(lost ? {} : { smallest: { text: LOOK_FIRST, tried: false } }),
  };
}

/** Returns the fact that the operation created its record, such as booking.created of createBooking. */
const findCreationFact = ({ facts, operation }: LogEntry): Fact | undefined =>
  facts.find(({ fact }) => operation?.toLowerCase() === `create${fact.replace(/\.created$|_/g, "")}`);

const nameFact = ({ fact, id }: Fact): string => `${toWords(fact)[0]} ${id}`;

function noteDuplicate({ operation = "", seq, id, client_id }: LogEntry, { world, application }: WhyContext): string[] {
  if (client_id === undefined) return [];
  const { log } = application;
  const later = log.list(world.id, { kinds: ["request"], operation, client_id, since: seq });
  const second = later.find((each) => each.facts.length > 0 && log.findTwin(each)?.id === id);
  const other = second && findCreationFact(second);
  return other ? [`The same client sent ${operation} again, and ${second.id} also created ${nameFact(other)}.`] : [];
}

const toCause = (causes: readonly WhyCause[]): Pick<Why, "cause" | "causes"> =>
  causes[0] ? { cause: causes[0], causes: [...causes] } : {};

/** Explains a message with the effects of its causes. The message is the first in the list. */
async function readMessage(id: string, context: ExplainContext): Promise<Explanation | undefined> {
  const { world, application } = context;
  const message = application.messages.find(world, id);
  if (!message) return undefined;
  const { kind, created_at, caused_by, deliveries } = message;
  const [made] = await application.history.listVersions(world, id);
  const causes = listCauses(caused_by, context);
  const { messages, ...rest } = mergeEffects(causes.map((cause) => listEffects(world, cause.id, application)));
  return {
    ...EMPTY,
    id,
    kind: "message",
    title: `${kind} ${formatStates(deliveries)}`,
    at: created_at,
    wall_at: made?.wall_at ?? null,
    ...toCause(causes),
    ...rest,
    messages: [showMessage(message), ...messages.filter((other) => other.id !== id)],
  };
}

/** Explains a delivery, whose nearest cause is its message. */
async function readDelivery(id: string, context: ExplainContext): Promise<Explanation | undefined> {
  const { world, application } = context;
  const delivery = application.read(world, (tx) => tx.deliveries.get(id));
  const message = delivery && (await readMessage(delivery.message_id, context));
  if (!message) return undefined;
  const carried: WhyCause = { kind: "message", id: message.id, title: message.title };
  return {
    ...message,
    id,
    kind: "delivery",
    title: `of ${message.title}`,
    ...toCause([carried, ...(message.causes ?? [])]),
  };
}

const MAX_CAUSES = 20;

/**
 * Explains a record by its history, in which each change has a cause. Facts, entries and messages are those of all
 * these causes.
 */
async function readRecord(id: string, context: ExplainContext): Promise<Explanation | undefined> {
  const { world, application } = context;
  const past = { world, id, versions: await application.history.listVersions(world, id) };
  const collection = findCollection(past);
  if (collection === undefined) return undefined;
  const retained = application.history.describeRetained(world);
  const history = toVersions(past, ({ id: cause }) => findCause(cause, context).title, retained.began);
  const [last] = history;
  const unchanged = history.some(({ seq }) => seq !== null) ? [] : ["The record has not changed since then."];
  // Each cause is listed once.
  const near = [...new Map(history.map(({ cause }) => [cause.id, cause])).values()].slice(0, MAX_CAUSES);
  const causes = near.flatMap((cause) => (cause.kind === "fixture" ? [cause] : listCauses(cause.id, context)));
  // The effects of a rewind are omitted, because they repeat the past.
  const lived = causes.filter(({ kind, id }) => kind !== "fixture" && id !== REWIND);
  const effects = lived.map((cause) => listEffects(world, cause.id, application)).reverse();
  const { facts, entries, messages } = mergeEffects(effects);
  return {
    ...EMPTY,
    id,
    kind: "record",
    title: `${id} in ${collection}`,
    at: last?.at ?? application.now(world),
    wall_at: last?.wall_at ?? null,
    facts,
    entries,
    messages,
    history,
    ...toCause([...new Map(causes.map((cause) => [cause.id, cause])).values()]),
    notes: [...noteRewind(last, context, collection), noteRetention(retained), ...unchanged],
  };
}

/** Notes that the latest change of the record was a rewind of the world. */
function noteRewind(last: WhyVersion | undefined, { world, application }: WhyContext, collection: string): string[] {
  if (last?.cause.id !== REWIND || last.seq === null) return [];
  const { seq, at, change } = last;
  const before = application.history.findPointBefore(world, seq).seq;
  const rewound = `Rewind ${seq} restored the world of ${at}`;
  if (change !== "removed") return [`${rewound}, including this record. \`sandbox rewind ${before}\` undoes that.`];
  const sent = collection === "messages" ? " Receivers may already have it." : "";
  return [`${rewound}, before this record existed.${sent} \`sandbox rewind ${before}\` restores the record.`];
}

/** Explains the record that has this number, or a part with this id. */
async function readPart(text: string, context: ExplainContext): Promise<Explanation | undefined> {
  const recordId = findRecordId(context.world, text, context.application);
  const found = recordId === undefined ? undefined : await readRecord(recordId, context);
  return found && { ...found, notes: [`${text} belongs to ${found.title}.`, ...(found.notes ?? [])] };
}

function rejectId(id: string, { world, application }: WhyContext): never {
  const excerpt = id.slice(0, 100);
  const what = /^(req|act|clk)-/.test(id)
    ? `The log of world ${world.id} has no ${excerpt}. It keeps the latest entries only.`
    : `World ${world.id} has no request, message, record, payment or number ${excerpt}.`;
  throw new HttpError(
    404,
    `${what} ${noteRetention(application.history.describeRetained(world))} It may be in another world.`,
  );
}
