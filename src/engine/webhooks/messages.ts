// Shows messages for the control API and runs its commands: resend, give up, clear, pin a subscription, and rotate its secret.
// Assumptions: delivery-retry (the same webhook-id), message-retention, subscription-secret.

import type { Schemas } from "../../contract/schemas.ts";
import { optional } from "../../platform/optional.ts";
import { mustExist, reject } from "../domain/kernel/domain-error.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import { toSortable } from "../domain/kernel/index-keys.ts";
import { after, isDuration } from "../domain/kernel/instant.ts";
import type { EventKind } from "../domain/kernel/kinds.ts";
import { loadSubscription } from "../domain/kernel/lookups.ts";
import { findNamed } from "../domain/kernel/record-kinds.ts";
import type { Delivery, Message, Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { type Cause, getCause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import { deleteMessage, endDelivery } from "./deliveries.ts";
import { type ResendInput, type ResendSelection, resend, resendSelected } from "./resend.ts";
import { hasBothSignatures, tamperBody } from "./sign.ts";

type MessageView = Schemas["Message"];
type DeliveryView = Schemas["Delivery"];

interface MessagesDeps {
  change<T>(world: World, cause: Cause, work: (tx: Transaction) => T): { result: T; facts: readonly Fact[] };
  read<T>(world: World, question: (tx: Transaction) => T): T;
  wake(world: World): void;
  /** Creates a signing secret. */
  secret(): string;
}

/** The progress of a delivery that its record does not contain. */
interface DeliveryProgress {
  getInFlightMs(world: World, delivery: string): number | undefined;
  /** Returns whether the clock of the world is held. */
  isHeld(world: World): boolean;
}

const NO_PROGRESS: DeliveryProgress = { getInFlightMs: () => undefined, isHeld: () => false };

/** Every command is one transaction, after which the dispatcher reads the queues. */
export function makeMessages({ change, read, wake, secret }: MessagesDeps, { getInFlightMs, isHeld } = NO_PROGRESS) {
  const addProgress = (world: World, tx: Transaction, message: MessageView): MessageView => ({
    ...message,
    deliveries: message.deliveries.map(({ attempts, ...delivery }) => {
      const in_flight_ms = getInFlightMs(world, delivery.id);
      const isLater = (delivery.next_attempt_at ?? "") > tx.now;
      const awaits_clock = (in_flight_ms === undefined && isLater && isHeld(world)) || undefined;
      return { ...delivery, ...optional({ awaits_clock, in_flight_ms }), attempts };
    }),
  });
  const changeAndWake = <T>(world: World, command: string, work: (tx: Transaction) => T): T => {
    const { result } = change(world, { kind: "world", id: command }, work);
    wake(world);
    return result;
  };
  type Work = (tx: Transaction, message: Message) => void;
  const changeMessage = (world: World, command: string, id: string, work: Work) =>
    changeAndWake(world, command, (tx) => {
      const message = tx.messages.get(id);
      // The caller responds with 404.
      if (!message) return undefined;
      work(tx, message);
      return addProgress(world, tx, showMessage(tx, message));
    });
  return {
    /** Returns the latest matching messages, oldest first, and how many more match. */
    list: (world: World, wanted: MessageFilter) =>
      read(world, (tx) => {
        const { items, more } = listMessages(tx, wanted);
        return { items: items.map((message) => addProgress(world, tx, message)), more };
      }),
    /** Counts messages of a kind or of all kinds. This must be fast, because waiting requests call it after every change. */
    count: (world: World, kind: string | undefined): number => read(world, (tx) => countMessages(tx, kind)),
    find: (world: World, id: string) =>
      read(world, (tx) => {
        const message = tx.messages.get(id);
        return message && addProgress(world, tx, showMessage(tx, message));
      }),
    resend: (world: World, id: string, input: ResendInput = {}) =>
      changeMessage(world, "resendMessage", id, (tx, message) => resend(tx, message, input)),
    resendSelected: (world: World, input: ResendSelection) =>
      changeAndWake(world, "resendFailedMessages", (tx) =>
        resendSelected(tx, input).map((message) => addProgress(world, tx, showMessage(tx, message))),
      ),
    endPendingDeliveries: (world: World, id: string) => changeMessage(world, "giveUpMessage", id, endPendingDeliveries),
    deleteAllMessages: (world: World): void => changeAndWake(world, "clearMessages", deleteAllMessages),
    /** Keeps the subscription unchanged when the world is reset, restored, imported or rewound. */
    pinSubscription: (world: World, subscription: string): void =>
      changeAndWake(world, "pinSubscription", (tx) => pinSubscription(tx, subscription)),
    rotateSecret: (world: World, subscription: string, overlap: string | undefined) =>
      changeAndWake(world, "rotateSubscriptionSecret", (tx) => rotateSecret(tx, subscription, overlap, secret())),
  };
}

/** `state` is the state of one of its deliveries in lower case, or `none` without a delivery. `before` is the id of a message. */
interface MessageFilter {
  kind?: string | undefined;
  state?: string | undefined;
  /** The ids of the messages to select from. Default: all. */
  created?: ReadonlySet<string> | undefined;
  before?: string | undefined;
  limit?: number | undefined;
}

export function listMessages(tx: Transaction, { kind, state, created, before, limit }: MessageFilter) {
  const until =
    before === undefined ? undefined : toSortable(mustExist(tx.messages.get(before), "message", before).place);
  const isCounted = [state, created, until].every((filter) => filter === undefined);
  const newest: Message[] = [];
  let matching = 0;
  for (const message of tx.messages.walk("created", { descending: true, ...optional({ until }) })) {
    const isFull = newest.length === limit;
    // An index gives the total for a kind or for all, so the walk can stop early.
    if (isFull && isCounted) break;
    if (kind !== undefined && message.kind !== kind) continue;
    if (created?.has(message.id) === false) continue;
    if (state !== undefined && !listDeliveryStates(tx, message).includes(state)) continue;
    matching++;
    if (!isFull) newest.push(message);
  }
  const all = isCounted ? countMessages(tx, kind) : matching;
  // Only listed messages are converted, because each conversion parses a body.
  return { items: newest.reverse().map((message) => showMessage(tx, message)), more: all - newest.length };
}

const countMessages = ({ messages }: Transaction, kind: string | undefined): number =>
  kind === undefined ? messages.size : messages.count("kind", kind);

function listDeliveryStates(tx: Transaction, { id }: Message): readonly string[] {
  const deliveries = tx.deliveries.where("message", id);
  return deliveries.length === 0 ? ["none"] : deliveries.map(({ state }) => state.toLowerCase());
}

function showMessage(tx: Transaction, message: Message): MessageView {
  const { id, kind, created_at } = message;
  const caused_by = getCause(message);
  const deliveries = tx.deliveries.where("message", id).map((delivery) => showDelivery(delivery, message));
  const body: MessageView["body"] = JSON.parse(message.body);
  const about = optional({ about: findNamed(tx, body.payload) });
  // The import of a document rejects unknown kinds (spec/world.yaml, event-kind), so the cast is safe.
  return { id, kind: kind as EventKind, created_at, caused_by, ...about, body, deliveries };
}

function showDelivery(
  { id, subscription_id, url, state, next_attempt_at, attempts }: Delivery,
  { body }: Message,
): DeliveryView {
  const views = attempts.map((attempt) => ({
    ...attempt,
    request: { ...attempt.request, body: attempt.request.body ?? tamperBody(body, attempt.tamper) },
  }));
  return { id, subscription_id, url, state, ...(next_attempt_at ? { next_attempt_at } : {}), attempts: views };
}

function endPendingDeliveries(tx: Transaction, { id }: Message): void {
  for (const delivery of tx.deliveries.where("message", id))
    if (delivery.state === "PENDING") endDelivery(tx, delivery, "GIVEN_UP");
}

function deleteAllMessages(tx: Transaction): void {
  for (const message of [...tx.messages.walk("created")]) deleteMessage(tx, message);
}

function pinSubscription(tx: Transaction, id: string): void {
  tx.subscriptions.put({ ...loadSubscription(tx, id), pinned: true });
}

/** The old secret stays valid during the overlap. Without an overlap it is invalid immediately. */
function rotateSecret(tx: Transaction, id: string, overlap: string | undefined, secret: string) {
  const { previous_secret: _, ...current } = loadSubscription(tx, id);
  if (overlap !== undefined && !isDuration(overlap))
    reject("INVALID_INPUT", { path: "body.overlap", what: `${overlap} is not a duration such as P1D.` });
  const valid_until = overlap === undefined ? tx.now : after(tx.now, overlap);
  const overlaps = valid_until > tx.now;
  const rotated: Subscription = {
    ...current,
    secret,
    ...(overlaps ? { previous_secret: { secret: current.secret, valid_until } } : {}),
    updated_at: tx.now,
  };
  tx.subscriptions.put(rotated);
  tx.emit("webhook_subscription.updated", id);
  if (!overlaps) return { id, secret, signing: "NEW" as const };
  const signing = hasBothSignatures(tx) ? ("BOTH_THEN_NEW" as const) : ("PREVIOUS_THEN_NEW" as const);
  return { id, secret, previous_valid_until: valid_until, signing };
}
