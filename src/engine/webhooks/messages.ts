// Messages as the control API shows them, and its commands: resend, give up, clear, pin a subscription, and rotate its secret.
// Assumptions: delivery-retry (the same webhook-id), message-retention, subscription-secret.

import type { Schemas } from "../../contract/schemas.ts";
import { optional } from "../../platform/optional.ts";
import { found, reject } from "../domain/kernel/domain-error.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import { ordered } from "../domain/kernel/index-keys.ts";
import { after, isDuration } from "../domain/kernel/instant.ts";
import type { EventKind } from "../domain/kernel/kinds.ts";
import { findNamed } from "../domain/kernel/record-kinds.ts";
import type { Delivery, Message, Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { type Cause, causeOf } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import { settle } from "./deliveries.ts";
import { type ResendInput, type ResendSelection, resend, resendSelected } from "./resend.ts";
import { forgetMessage } from "./retention.ts";
import { isSignedByBoth } from "./sign.ts";
import { tamperBody } from "./tamper.ts";

type MessageView = Schemas["Message"];
type DeliveryView = Schemas["Delivery"];

interface MessagesDeps {
  change<T>(world: World, cause: Cause, work: (tx: Transaction) => T): { result: T; facts: readonly Fact[] };
  read<T>(world: World, question: (tx: Transaction) => T): T;
  nudge(world: World): void;
  /** A new signing secret. */
  secret(): string;
}

/** What is known of a delivery beside its record. */
interface DeliveryProgress {
  inFlightMs(world: World, delivery: string): number | undefined;
  /** Whether the clock of the world is held. */
  isHeld(world: World): boolean;
}

const UNKNOWN: DeliveryProgress = { inFlightMs: () => undefined, isHeld: () => false };

/** Every command is one transaction, and the dispatcher looks again after it. */
export function makeMessages({ change, read, nudge, secret }: MessagesDeps, { inFlightMs, isHeld } = UNKNOWN) {
  /** With what is known of its attempts beside the records. */
  const withProgress = (world: World, tx: Transaction, message: MessageView): MessageView => ({
    ...message,
    deliveries: message.deliveries.map(({ attempts, ...delivery }) => {
      const in_flight_ms = inFlightMs(world, delivery.id);
      const isLater = (delivery.next_attempt_at ?? "") > tx.now;
      const awaits_clock = (in_flight_ms === undefined && isLater && isHeld(world)) || undefined;
      return { ...delivery, ...optional({ awaits_clock, in_flight_ms }), attempts };
    }),
  });
  const changeAndNudge = <T>(world: World, command: string, work: (tx: Transaction) => T): T => {
    const { result } = change(world, { kind: "world", id: command }, work);
    // After the commit.
    nudge(world);
    return result;
  };
  const changeMessage = (
    world: World,
    command: string,
    id: string,
    work: (tx: Transaction, message: Message) => void,
  ) =>
    changeAndNudge(world, command, (tx) => {
      const message = tx.messages.get(id);
      // The caller answers the 404.
      if (!message) return undefined;
      work(tx, message);
      return withProgress(world, tx, showMessage(tx, message));
    });
  return {
    /** The latest ones, oldest first, and how many more match. */
    list: (world: World, wanted: WantedMessages) =>
      read(world, (tx) => {
        const { items, more } = listMessages(tx, wanted);
        return { items: items.map((message) => withProgress(world, tx, message)), more };
      }),
    /** Of a kind, or of all. Cheap, since a request that waits for messages counts them after every change. */
    count: (world: World, kind: string | undefined): number => read(world, (tx) => countOf(tx, kind)),
    find: (world: World, id: string) =>
      read(world, (tx) => {
        const message = tx.messages.get(id);
        return message && withProgress(world, tx, showMessage(tx, message));
      }),
    resend: (world: World, id: string, input: ResendInput = {}) =>
      changeMessage(world, "resendMessage", id, (tx, message) => resend(tx, message, input)),
    resendSelected: (world: World, input: ResendSelection) =>
      changeAndNudge(world, "resendFailedMessages", (tx) =>
        resendSelected(tx, input).map((message) => withProgress(world, tx, showMessage(tx, message))),
      ),
    giveUpMessage: (world: World, id: string) => changeMessage(world, "giveUpMessage", id, giveUpMessage),
    clear: (world: World): void => changeAndNudge(world, "clearMessages", clear),
    /** It stays as it is when the world is reset, restored, imported or rewound. */
    pin: (world: World, subscription: string): void =>
      changeAndNudge(world, "pinSubscription", (tx) => pin(tx, subscription)),
    rotate: (world: World, subscription: string, overlap: string | undefined) =>
      changeAndNudge(world, "rotateSubscriptionSecret", (tx) => rotate(tx, subscription, overlap, secret())),
  };
}

/** `state`: that of one of its deliveries, in lower case, or `none` where it has no delivery. `before`: the id of a message. */
interface WantedMessages {
  kind?: string | undefined;
  state?: string | undefined;
  /** The ids of the messages to select from; undefined: all. */
  created?: ReadonlySet<string> | undefined;
  before?: string | undefined;
  limit?: number | undefined;
}

export function listMessages(tx: Transaction, { kind, state, created, before, limit }: WantedMessages) {
  const until = before === undefined ? undefined : ordered(found(tx.messages.get(before), "message", before).place);
  const isCounted = [state, created, until].every((filter) => filter === undefined);
  const newest: Message[] = [];
  let matching = 0;
  for (const message of tx.messages.walk("created", { descending: true, ...optional({ until }) })) {
    const isFull = newest.length === limit;
    // Of all or of a kind an index knows how many more there are.
    if (isFull && isCounted) break;
    if (kind !== undefined && message.kind !== kind) continue;
    if (created?.has(message.id) === false) continue;
    if (state !== undefined && !listDeliveryStates(tx, message).includes(state)) continue;
    matching++;
    if (!isFull) newest.push(message);
  }
  const all = isCounted ? countOf(tx, kind) : matching;
  // Only what is listed is shown: each view parses a body.
  return { items: newest.reverse().map((message) => showMessage(tx, message)), more: all - newest.length };
}

const countOf = ({ messages }: Transaction, kind: string | undefined): number =>
  kind === undefined ? messages.size : messages.count("kind", kind);

function listDeliveryStates(tx: Transaction, { id }: Message): readonly string[] {
  const deliveries = tx.deliveries.where("message", id);
  return deliveries.length === 0 ? ["none"] : deliveries.map(({ state }) => state.toLowerCase());
}

function showMessage(tx: Transaction, message: Message): MessageView {
  const { id, kind, created_at } = message;
  const caused_by = causeOf(message);
  const deliveries = tx.deliveries.where("message", id).map((delivery) => showDelivery(delivery, message));
  const body: MessageView["body"] = JSON.parse(message.body);
  // The payload begins with it.
  const about = findNamed(tx, body.payload);
  return {
    // A record of another kind is not accepted from a document (spec/world.yaml, event-kind).
    ...{ id, kind: kind as EventKind, created_at, caused_by },
    ...(about ? { about } : {}),
    ...{ body, deliveries },
  };
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

function giveUpMessage(tx: Transaction, { id }: Message): void {
  for (const delivery of tx.deliveries.where("message", id))
    if (delivery.state === "PENDING") settle(tx, delivery, "GIVEN_UP");
}

function clear(tx: Transaction): void {
  for (const message of [...tx.messages.walk("created")]) forgetMessage(tx, message);
}

function pin(tx: Transaction, id: string): void {
  tx.subscriptions.put({ ...found(tx.subscriptions.get(id), "webhook subscription", id), pinned: true });
}

/** The old secret stays valid during the overlap; without one it ends at once. */
function rotate(tx: Transaction, id: string, overlap: string | undefined, secret: string) {
  const { previous_secret: _, ...known } = found(tx.subscriptions.get(id), "webhook subscription", id);
  if (overlap !== undefined && !isDuration(overlap))
    reject("INVALID_INPUT", { path: "body.overlap", what: `${overlap} is not a duration such as P1D.` });
  const valid_until = overlap === undefined ? tx.now : after(tx.now, overlap);
  const overlaps = valid_until > tx.now;
  const rotated: Subscription = {
    ...known,
    secret,
    ...(overlaps ? { previous_secret: { secret: known.secret, valid_until } } : {}),
    updated_at: tx.now,
  };
  tx.subscriptions.put(rotated);
  tx.emit("webhook_subscription.updated", id);
  if (!overlaps) return { id, secret, signing: "NEW" as const };
  const signing = isSignedByBoth(tx) ? ("BOTH_THEN_NEW" as const) : ("PREVIOUS_THEN_NEW" as const);
  return { id, secret, previous_valid_until: valid_until, signing };
}
