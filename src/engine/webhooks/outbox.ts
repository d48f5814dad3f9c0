// Writes the messages of a transaction within that transaction, so that a message exists if and only if its change does. Rule: each
// ENABLED subscription with the kind gets one pending delivery. Assumptions: envelope-id, delivery-order, move-kinds,
// subscription-delete, subscription-put, disabled-deliveries.

import type { FactName } from "../domain/kernel/facts.ts";
import { toSortable } from "../domain/kernel/index-keys.ts";
import { EVENT_KINDS, type EventKind } from "../domain/kernel/kinds.ts";
import type { Message, Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { deleteReplacedMessages, endDeliveries, type SendOptions } from "./deliveries.ts";
import { kinds } from "./kinds.ts";

interface Occurrence {
  kind: EventKind;
  id: string;
}

/** A fact sends at most one kind. */
const kindByFact = new Map(EVENT_KINDS.flatMap((kind) => kinds[kind].facts.map((fact) => [fact, kind] as const)));

/** Must be called at the end of every transaction. `cause` is the id of a request, an act or a clock move. */
export function writeMessages(tx: Transaction, cause: string): void {
  for (const { fact, id } of tx.facts) {
    const isChanged = fact === "webhook_subscription.deleted" || fact === "webhook_subscription.updated";
    // Deliveries are dropped before messages are written, so that a disabled subscription gets none of them.
    if (isChanged) dropUnwantedDeliveries(tx, id);
  }
  const sent = listOccurrences(tx);
  // Most transactions send nothing, so they need not read the subscriptions.
  if (sent.length === 0) return;
  const subscriptions = [...tx.subscriptions.walk("created")].filter(({ state }) => state === "ENABLED");
  const messages = sent.map((occurrence) => writeMessage(tx, occurrence, cause, subscriptions));
  deleteReplacedMessages(tx, messages.at(-1) as Message, messages.length);
}

/** Drops pending deliveries of a subscription that is deleted or disabled, or no longer includes their kind. */
function dropUnwantedDeliveries(tx: Transaction, subscriptionId: string): void {
  const subscription = tx.subscriptions.get(subscriptionId);
  const wanted: readonly string[] = subscription?.state === "ENABLED" ? subscription.event_types : [];
  endDeliveries(tx, subscriptionId, "DROPPED", ({ message_id }) => {
    const message = tx.messages.get(message_id);
    return message === undefined || !wanted.includes(message.kind);
  });
}

/** Lists the messages to write, in the order of the facts. Several updates of one record become one message. */
function listOccurrences(tx: Transaction): Occurrence[] {
  const found = new Map<string, Occurrence>();
  for (const { fact, id } of tx.facts) {
    const kind = kindByFact.get(toAssumedFact(tx, fact));
    if (!kind) continue;
    // Other kinds occur once per record, or need a message each time.
    const key = kind.endsWith(".updated") ? `${kind} ${id}` : String(found.size);
    if (!found.has(key)) found.set(key, { kind, id });
  }
  return [...found.values()];
}

/** Treats the old booking of a move as updated or as cancelled (assumption: move-kinds). */
function toAssumedFact(tx: Transaction, fact: FactName): FactName {
  const isCancelled = fact === "booking.moved" && tx.assumes("move-kinds") === "cancelled-and-created";
  return isCancelled ? "booking.cancelled" : fact;
}

function writeMessage(
  tx: Transaction,
  { kind, id }: Occurrence,
  cause: string,
  subscriptions: readonly Subscription[],
): Message {
  const body = {
    id: toUuid(createId(tx)),
    type: kind,
    // The format has nine decimal places, and the clock has three.
    timestamp: tx.now.replace("Z", "000000Z"),
    payload: kinds[kind].payload(tx, id),
  };
  const message: Message = {
    id: `msg_${createId(tx).replaceAll("-", "")}`,
    kind,
    created_at: tx.now,
    caused_by: cause,
    // The body is stored as text, because the signature is over its exact bytes.
    body: JSON.stringify(body),
    place: tx.nextNumber("deliveries"),
  };
  tx.messages.put(message);
  for (const subscription of subscriptions) {
    if (subscription.event_types.includes(kind)) addDelivery(tx, message, subscription);
  }
  return message;
}

/** Returns an id that no message has had. A rewound world repeats its ids, and receivers already have messages with those ids. */
function createId(tx: Transaction): string {
  const [id, went_back] = [tx.newId(), tx.counters.get("counters")?.went_back];
  return went_back === undefined ? id : tx.idFor(`${id} ${went_back}`);
}

/** The delivery's id sorts by the number of the message, so that deliveries of one instant are sent in the order of the facts. */
export function addDelivery(
  tx: Transaction,
  { id, place }: Message,
  subscription: Subscription,
  { at, resend }: SendOptions = { at: tx.now },
): void {
  tx.deliveries.put({
    id: `dlv_${toSortable(place)}_${subscription.id}`,
    message_id: id,
    subscription_id: subscription.id,
    url: subscription.url,
    state: "PENDING",
    created_at: tx.now,
    place,
    next_attempt_at: at,
    tries: 0,
    ...(resend ? { resend } : {}),
    attempts: [],
  });
}

/** Gives an id of the world the version and variant of a random UUID, because receivers check them. */
function toUuid(id: string): string {
  const digits = id.replaceAll("-", "");
  const variant = "89ab"[Number.parseInt(digits[16] ?? "0", 16) % 4];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}
