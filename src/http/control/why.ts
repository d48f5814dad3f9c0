// Why something is as it is: of anything that has an id. What happened is found in the log, what is kept in the world.
import type { LogEntry } from "../../app/application.ts";
import { collectionOf, consequencesOf, keptNote, messageShown, versionsOf } from "../../app/why/story.ts";
import type { components } from "../../generated/control.ts";
import { HttpError } from "../errors.ts";
import type { Answer } from "../exchange.ts";
import { exchangeOf } from "../refused.ts";
import {
  type Asking,
  causeTitled,
  entryCalled,
  latestRefused,
  nextCalls,
  outcomeOf,
  titleOf,
  wallOf,
} from "../why-entries.ts";
import { whyRefused } from "../why-refusal.ts";
import { chosenWorld, type Handlers, ok } from "./handler.ts";

type Why = components["schemas"]["Why"];
type Explained = Omit<Why, "world" | "clock">;

/** What every explanation has, where there is nothing to tell. */
// biome-ignore lint/suspicious/noThenProperty: the word of the story; it is a list, so nothing waits for it
const NOTHING = { facts: [], changes: [], entries: [], messages: [], then: [] };

export const why: Handlers<"explain" | "explainLatestRefusal"> = {
  async explain(requested) {
    const { application } = requested;
    const asking = { application, world: chosenWorld(requested) };
    const { id } = requested.path;
    const entry = entryCalled(id, asking);
    const found = entry
      ? await ofEntry(entry, asking)
      : (ofMessage(id, asking) ?? ofDelivery(id, asking) ?? ofRecord(id, asking));
    return found ? explained(found, asking) : unknown(id, asking);
  },
  async explainLatestRefusal(requested) {
    const { application } = requested;
    const asking = { application, world: chosenWorld(requested) };
    const entry = latestRefused(asking);
    if (entry) return explained(await ofEntry(entry, asking), asking);
    throw new HttpError(
      404,
      `Nothing was refused in world ${asking.world.id}, as far as its log goes back. GET /_sandbox/why/{id} explains anything else.`,
    );
  },
};

function explained(why: Explained, { world, application }: Asking): Answer {
  const running = application.aside(world) === undefined && application.clock.show(world).mode === "running";
  return ok({ ...why, world: world.id, clock: running ? "running" : "held" });
}

async function ofEntry(entry: LogEntry, asking: Asking): Promise<Explained> {
  const { world, application } = asking;
  const { id, kind, at, seq, caused_by } = entry;
  const exchange = exchangeOf(entry);
  const refusal = exchange && (await whyRefused(exchange, { seq, at, world }, application));
  const title = titleOf(entry, application);
  return {
    ...NOTHING,
    ...{ id, kind: kind as Why["kind"], at, wall_at: wallOf(entry) },
    title: refusal ? title : `${title} ${outcomeOf(entry, application)}`.trim(),
    ...(refusal ? { refusal } : {}),
    ...(caused_by === undefined ? {} : { cause: causeTitled(caused_by, asking) }),
    ...consequencesOf(world, id, application),
    // biome-ignore lint/suspicious/noThenProperty: the word of the story; it is a list, so nothing waits for it
    then: nextCalls(entry, asking),
  };
}

function ofMessage(id: string, asking: Asking): Explained | undefined {
  const { world, application } = asking;
  const message = application.messages.find(world, id);
  if (!message) return undefined;
  const { kind, created_at, caused_by, deliveries } = message;
  const sent = deliveries.length === 0 ? "nobody subscribed" : deliveries.map(({ state }) => state).join(", ");
  const made = application.history.commits(world).find(({ changes }) => changes.some((change) => change.id === id));
  return {
    ...NOTHING,
    ...{ id, kind: "message", title: `${kind} ${sent}`, at: created_at, wall_at: made?.wall_at ?? null },
    cause: causeTitled(caused_by, asking),
    messages: [messageShown(message)],
  };
}

function ofDelivery(id: string, asking: Asking): Explained | undefined {
  const { world, application } = asking;
  const delivery = application.look(world, (tx) => tx.deliveries.get(id));
  const message = delivery && ofMessage(delivery.message_id, asking);
  if (!message) return undefined;
  return { ...message, id, kind: "delivery", title: `of ${message.title}` };
}

/** Of a record the changes are its history, each with its cause. */
function ofRecord(id: string, asking: Asking): Explained | undefined {
  const { world, application } = asking;
  const collection = collectionOf(world, id, application);
  if (collection === undefined) return undefined;
  const history = versionsOf(world, id, application, ({ id: cause }) => causeTitled(cause, asking).title);
  const [last] = history;
  const unchanged = last ? [] : ["It has not changed since then."];
  const at = last?.at ?? application.now(world);
  return {
    ...NOTHING,
    ...{ id, kind: "record", title: `${id} in ${collection}`, at, wall_at: last?.wall_at ?? null },
    ...(last ? { cause: last.cause } : {}),
    history,
    notes: [keptNote(world, application), ...unchanged],
  };
}

function unknown(id: string, { world, application }: Asking): never {
  const shown = id.slice(0, 100);
  const what = /^(req|act|clk)-/.test(id)
    ? `The log of world ${world.id} has no ${shown}: it keeps the latest entries, and those of this run.`
    : `World ${world.id} has no request, message or record ${shown}.`;
  throw new HttpError(404, `${what} ${keptNote(world, application)} Another world may have it.`);
}
