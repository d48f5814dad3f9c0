// Why something is as it is: of anything that has an id. What happened is found in the log, what is kept in the world.
import { collectionOf, consequencesOf, keptNote, messageShown, versionsOf } from "../../app/why/story.ts";
import type { components } from "../../generated/control.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import type { Answer } from "../exchange.ts";
import { exchangeOf } from "../refused.ts";
import { causeTitled, type Entry, entryCalled, latestFailed, nextCalls } from "../why-entries.ts";
import { whyRefused } from "../why-refusal.ts";
import { chosenWorld, type Handlers, ok, type Requested } from "./handler.ts";

type Why = components["schemas"]["Why"];
type Asking = Pick<Requested<"explain">, "application"> & { world: World };

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
    const entry = latestFailed(asking);
    if (entry) return explained(await ofEntry(entry, asking), asking);
    throw new HttpError(
      404,
      `Nothing was refused in world ${asking.world.id}, as far as its log goes back. GET /_sandbox/why/{id} explains anything else.`,
    );
  },
};

function explained(why: Omit<Why, "world" | "clock">, { world, application }: Asking): Answer {
  const running = application.aside(world) === undefined && application.clock.show(world).mode === "running";
  return ok({ ...why, world: world.id, clock: running ? "running" : "held" });
}

async function ofEntry(entry: Entry, asking: Asking): Promise<Omit<Why, "world" | "clock">> {
  const { world, application } = asking;
  const { id, kind, title, at, wall_at, seq, status } = entry;
  const exchange = exchangeOf(entry.logged);
  const refusal = exchange && (await whyRefused(exchange, { seq, world }, application));
  const cause = entry.caused_by === undefined ? undefined : causeTitled(entry.caused_by, asking);
  const outcome = status === undefined ? title : `${title} ${status ?? "no response"}`;
  return {
    ...NOTHING,
    ...{ id, kind, at, wall_at },
    title: refusal ? title : outcome,
    ...(refusal ? { refusal } : {}),
    ...(cause ? { cause } : {}),
    ...consequencesOf(world, id, application),
    ...(kind === "request" ? nextCalls(entry, asking) : {}),
    notes: entry.notes,
  };
}

function ofMessage(id: string, asking: Asking): Omit<Why, "world" | "clock"> | undefined {
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

function ofDelivery(id: string, asking: Asking): Omit<Why, "world" | "clock"> | undefined {
  const { world, application } = asking;
  const delivery = application.look(world, (tx) => tx.deliveries.get(id));
  const message = delivery && ofMessage(delivery.message_id, asking);
  if (!message) return undefined;
  return { ...message, id, kind: "delivery", title: `of ${message.title}` };
}

/** Of a record the changes are its history, each with its cause. */
function ofRecord(id: string, asking: Asking): Omit<Why, "world" | "clock"> | undefined {
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
