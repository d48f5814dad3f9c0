// Why something is as it is: of anything that has an id. What happened is found in the log, what is kept in the world.

import type { Schemas } from "../../contract/schemas.ts";
import { formatAmount } from "../../platform/amount-text.ts";
import { formatStates } from "../../platform/states-text.ts";
import type { RequestsPort } from "../app/application.ts";
import { type Fact, MAX_LISTED, toWords } from "../domain/kernel/facts.ts";
import { handlersWith, ok } from "../http/control/handler.ts";
import { HttpError } from "../http/errors.ts";
import type { Answer } from "../http/exchange.ts";
import { REWIND } from "../log/past.ts";
import { type ExchangeDetails, type LogEntry, readDetails } from "../log/view.ts";
import type { WhyCause } from "./entries.ts";
import {
  causeTitled,
  findEntry,
  findLatest,
  listCauses,
  listNext,
  toOutcome,
  toTitle,
  toWall,
  type WhyContext,
} from "./entries.ts";
import { type Explaining, explainRefusal } from "./refusal.ts";
import type { Why } from "./story.ts";
import {
  findCollection,
  listEffects,
  listSteps,
  merge,
  noteRetention,
  noteUndone,
  recordMeant,
  showMessage,
  sumSteps,
  toVersions,
} from "./story.ts";
import { LOOK_FIRST } from "./transport-rules.ts";

type Refusal = NonNullable<Why["refusal"]>;
type WhyVersion = Schemas["WhyVersion"];
type Explained = Omit<Why, "world" | "clock" | "fact_count" | "entry_count">;

/** What every explanation has, where there is nothing to tell. */
// biome-ignore lint/suspicious/noThenProperty: the word of the story; it is a list, so nothing waits for it
const NOTHING = { facts: [], changes: [], entries: [], messages: [], then: [] };

export const why = handlersWith<Explaining["application"]>()({
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
    return found ? createWhyAnswer(found, context) : rejectId(id, context);
  },
  async explainLatestRefusal({ application, world }) {
    const context = { application, world };
    const { entry, byHand } = findLatest(context);
    if (entry) {
      const why = await readEntry(entry, context);
      const later = byHand ? [`${byHand.id}, by hand, was refused later.`] : [];
      return createWhyAnswer({ ...why, ...(byHand ? { notes: [...(why.notes ?? []), ...later] } : {}) }, context);
    }
    throw new HttpError(
      404,
      `Nothing was refused in world ${context.world.id}, as far as its log goes back. Name the id of an entry or a record to explain it.`,
    );
  },
});

function createWhyAnswer(why: Explained, { world, application }: Explaining): Answer {
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

async function readEntry(entry: LogEntry, context: Explaining): Promise<Explained> {
  const { world, application } = context;
  const { id, kind, at, caused_by } = entry;
  const refusal = await explainRefusal(entry, world, application);
  const title = toTitle(entry, application);
  const byHand = entry.by_hand ? ["It was done by hand, in the console or the terminal."] : [];
  const notes = [...noteUndone(world, id, application), ...byHand];
  return {
    ...NOTHING,
    ...{ id, kind: kind as Why["kind"], at, wall_at: toWall(entry) },
    title: refusal ? title : `${title} ${toOutcome(entry, application)}`.trim(),
    ...(refusal ? { refusal: withWhatWasMade(refusal, entry, context) } : {}),
    ...toCause(caused_by === undefined ? [] : listCauses(caused_by, context)),
    ...listEffects(world, id, application),
    ...(notes.length > 0 ? { notes } : {}),
    // biome-ignore lint/suspicious/noThenProperty: the word of the story; it is a list, so nothing waits for it
    then: listNext(entry, context),
  };
}

/** Where only the answer was lost, of this request or of the same before: that comes first, and nobody is advised to repeat it. */
function withWhatWasMade(refusal: Refusal, entry: LogEntry, context: WhyContext): Refusal {
  const lost = refusal.rule === "fault-injected" && entry.facts.length > 0;
  const first = lost ? entry : context.application.log.findTwin(entry);
  if (!first) return refusal;
  const made = getMade(first);
  const what = made ? ` and made ${nameFact(made)}` : "";
  const message = [
    `${lost ? "It" : `${first.id}, the same request,`} was carried out${what}; only its answer was lost.`,
    ...(lost && made ? noteTwice(entry, context) : []),
    ...("idempotency-key" in readDetails<ExchangeDetails>(entry).headers ? [NO_KEY] : []),
    refusal.message,
  ];
  return {
    ...refusal,
    message: message.filter((text) => text !== "").join(" "),
    ...(lost ? {} : { smallest: { text: LOOK_FIRST, tried: false } }),
  };
}

const NO_KEY = "The service has no idempotency key: that header changes nothing.";

/** What its operation is there to make. */
const getMade = ({ facts, operation }: LogEntry): Fact | undefined =>
  facts.find(({ fact }) => operation?.toLowerCase() === `create${fact.replace(/\.created$|_/g, "")}`);

const nameFact = ({ fact, id }: Fact): string => `${toWords(fact)[0]} ${id}`;

function noteTwice({ operation = "", seq, id, client_id }: LogEntry, { world, application }: WhyContext): string[] {
  if (client_id === undefined) return [];
  const { log } = application;
  const later = log.list(world.id, { kinds: ["request"], operation, client_id, since: seq });
  const second = later.find((each) => each.facts.length > 0 && log.findTwin(each)?.id === id);
  const other = second && getMade(second);
  return other ? [`The same client sent ${operation} again, and ${second.id} made ${nameFact(other)} beside it.`] : [];
}

const toCause = (causes: readonly WhyCause[]): Pick<Why, "cause" | "causes"> =>
  causes[0] ? { cause: causes[0], causes: [...causes] } : {};

/** A message with all that its causes led to, itself first. */
async function readMessage(id: string, context: Explaining): Promise<Explained | undefined> {
  const { world, application } = context;
  const message = application.messages.find(world, id);
  if (!message) return undefined;
  const { kind, created_at, caused_by, deliveries } = message;
  const [made] = await application.history.listVersions(world, id);
  const causes = listCauses(caused_by, context);
  const { messages, ...rest } = merge(causes.map((cause) => listEffects(world, cause.id, application)));
  return {
    ...NOTHING,
    ...{
      id,
      kind: "message",
      title: `${kind} ${formatStates(deliveries)}`,
      at: created_at,
      wall_at: made?.wall_at ?? null,
    },
    ...toCause(causes),
    ...rest,
    messages: [showMessage(message), ...messages.filter((other) => other.id !== id)],
  };
}

/** The message that it carries is its nearest cause. */
async function readDelivery(id: string, context: Explaining): Promise<Explained | undefined> {
  const { world, application } = context;
  const delivery = application.read(world, (tx) => tx.deliveries.get(id));
  const message = delivery && (await readMessage(delivery.message_id, context));
  if (!message) return undefined;
  const carried: WhyCause = { kind: "message", id: message.id, title: message.title };
  return {
    ...message,
    ...{ id, kind: "delivery", title: `of ${message.title}` },
    ...toCause([carried, ...(message.causes ?? [])]),
  };
}

const MOST_CAUSES = 20;

/** Of a record the changes are its history, each with its cause; facts, entries and messages are those of all these causes. */
async function readRecord(id: string, context: Explaining): Promise<Explained | undefined> {
  const { world, application } = context;
  const past = { world, id, versions: await application.history.listVersions(world, id) };
  const collection = findCollection(past);
  if (collection === undefined) return undefined;
  const steps = await listSteps(past, application);
  const history = toVersions(past, steps, ({ id: cause }) => causeTitled(cause, context).title);
  // Newest first.
  const [last] = history;
  const isOfFixture = history.some(({ cause }) => cause.kind === "fixture");
  const unchanged = history.some(({ seq }) => seq !== null) ? [] : ["It has not changed since then."];
  // Each cause once, and the latest that caused it.
  const near = [...new Map(history.map(({ cause }) => [cause.id, cause])).values()].slice(0, MOST_CAUSES);
  const causes = near.flatMap((cause) => (cause.kind === "fixture" ? [cause] : listCauses(cause.id, context)));
  // What a rewind did is the past once more, and not its own.
  const lived = causes.filter(({ kind, id }) => kind !== "fixture" && id !== REWIND);
  const { facts, entries, messages } = merge([
    sumSteps(isOfFixture ? steps : []),
    ...lived.map((cause) => listEffects(world, cause.id, application)).reverse(),
  ]);
  return {
    ...NOTHING,
    ...{ id, kind: "record", title: `${id} in ${collection}`, at: last?.at ?? application.now(world) },
    ...{ wall_at: last?.wall_at ?? null, facts, entries, messages, history },
    ...toCause([...new Map(causes.map((cause) => [cause.id, cause])).values()]),
    notes: [...noteRewind(last, context, collection), noteRetention(world, application), ...unchanged],
  };
}

/** Where the latest thing that happened to a record was that the world went back. */
function noteRewind(last: WhyVersion | undefined, { world, application }: WhyContext, collection: string): string[] {
  if (last?.cause.id !== REWIND || last.seq === null) return [];
  const { seq, at, change } = last;
  const before = application.history.findPointBefore(world, seq).seq;
  const went = `The rewind ${seq} put the world back to ${at}`;
  if (change !== "removed") return [`${went}, and with it this record. \`sandbox rewind ${before}\` undoes that.`];
  const sent = collection === "messages" ? " Who has received it keeps it." : "";
  return [`${went}, when this was not there yet, and so undid it.${sent} \`sandbox rewind ${before}\` brings it back.`];
}

/** A number or a part of a record stands for the record. */
async function readPart(text: string, context: Explaining): Promise<Explained | undefined> {
  const meant = recordMeant(context.world, text, context.application);
  const found = meant === undefined ? undefined : await readRecord(meant, context);
  const booked = meant === undefined ? undefined : findBooked(text, meant, context);
  const note = `${text} is of ${found?.title}${booked ?? ""}.`;
  return found && { ...found, notes: [note, ...(found.notes ?? [])] };
}

/** Of a payment or refund of an order: how much it is, what became of it, and the entries that it was booked as. */
function findBooked(part: string, order: string, { world, application }: WhyContext<RequestsPort>): string | undefined {
  return application.read(world, (tx) => {
    const { transactions = [], refunds = [] } = tx.orders.get(order) ?? {};
    const isPart = ({ id }: { id: string }) => id === part;
    const payment = transactions.find(isPart);
    const money = payment ?? refunds.find(isPart);
    if (!money) return undefined;
    const entries = tx.entries.where("order", order).filter(({ cause }) => cause?.id === part);
    const numbers = entries.map(({ number, kind }) => `${kind} ${number}`).join(", ");
    return `: a ${payment ? "payment" : "refund"} of ${formatAmount(money.amount)}, ${money.status}${numbers && `, booked as ${numbers}`}`;
  });
}

function rejectId(id: string, { world, application }: WhyContext): never {
  const excerpt = id.slice(0, 100);
  const what = /^(req|act|clk)-/.test(id)
    ? `The log of world ${world.id} has no ${excerpt}: it keeps the latest entries, and those of this run.`
    : `World ${world.id} has no request, message, record, payment or number ${excerpt}.`;
  throw new HttpError(404, `${what} ${noteRetention(world, application)} Another world may have it.`);
}
