// Applies armed faults to deliveries: a message is dropped, sent late or twice, or sent after a forged copy. Deliveries that are held
// back are kept in memory only, so a restart sends them immediately, like every pending delivery.

import type { Schemas } from "../../contract/schemas.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";

export type DeliveryFault = Schemas["FaultInput"] & { name: string };

export type DeliveryEffect = Schemas["DeliveryFault"]["do"];

/** The fault that is applied to one attempt. `did` describes it in the past tense, for the record of the attempt. */
export interface InjectedFault {
  fault: DeliveryFault;
  did: string;
  effect: DeliveryEffect;
  /** Whether the real message is sent after this attempt, regardless of the response. */
  resendsMessage: boolean;
}

const DEFAULT_LATE_MS = 5000;

/** Effects that send a forged copy before the real message. */
const SENT_BEFORE: Partial<Record<DeliveryEffect, string>> = {
  altered: "first sent a copy whose body is not the one that was signed",
  wrong_secret: "first sent a copy that is signed with another secret",
  stale_timestamp: "first sent a copy that is an hour old",
  missing_header: "first sent a copy without webhook-signature",
  unknown_kind: "first sent a message of an unknown kind",
};

/** Effects that change or drop the real message. */
const DONE_TO_MESSAGE: Partial<Record<DeliveryEffect, string>> = {
  drop: "did not send it",
  duplicate: "sent it twice",
  unknown_members: "added unknown fields to its body",
  rewritten: "wrote its JSON differently",
};

interface HeldDelivery {
  delivery: Delivery;
  fault: DeliveryFault;
  timer: NodeJS.Timeout;
  /** The delivery is sent after the next message about this record to the same subscription. */
  untilAfter?: string;
}

export class DeliveryFaults {
  readonly #findFault: (kind: string) => DeliveryFault | undefined;
  readonly #onRelease: () => void;
  readonly #held = new Map<string, HeldDelivery>();
  /** Deliveries that were released, but not sent yet. */
  readonly #due = new Map<string, InjectedFault>();

  /**
   * `findFault` finds the fault that applies to a message of this kind, and counts the hit. `onRelease` is called when a delivery that
   * was held back can be sent.
   */
  constructor(findFault: (kind: string) => DeliveryFault | undefined, onRelease: () => void) {
    this.#findFault = findFault;
    this.#onRelease = onRelease;
  }

  /** Whether it is held back: not to be sent yet. */
  readonly holds = (delivery: string): boolean => this.#held.has(delivery);

  /** Returns the fault for the next attempt, "held" if the delivery must wait, or undefined if no fault applies. */
  findNext(delivery: Delivery, message: Message): InjectedFault | "held" | undefined {
    const due = this.#due.get(delivery.id);
    this.#due.delete(delivery.id);
    if (due || delivery.attempts.length > 0 || delivery.resend) return due;
    const fault = this.#findFault(message.kind);
    if (!fault?.delivery) return undefined;
    const { do: effect } = fault.delivery;
    if (effect === "late" || effect === "reorder") return this.#hold(delivery, message, fault);
    const forged = SENT_BEFORE[effect];
    const did = forged ?? DONE_TO_MESSAGE[effect] ?? effect;
    return { fault, did, effect, resendsMessage: forged !== undefined || effect === "duplicate" };
  }

  /** Releases the deliveries that wait for this message: those about the same record and to the same subscription. */
  recordSent({ subscription_id, attempts }: Delivery, message: Message): void {
    // Deliveries are rarely held back, so the common case returns before the body is parsed.
    if (this.#held.size === 0 || attempts.length > 1) return;
    const about = getSubjectId(message);
    for (const held of this.#held.values())
      if (held.delivery.subscription_id === subscription_id && held.untilAfter === about)
        this.#release(held, "sent it after the next message about the same record");
  }

  /** Releases the deliveries that the named fault holds back, or all, because the faults were cleared. */
  release(name?: string): void {
    for (const held of this.#held.values())
      if (name === undefined || held.fault.name === name) this.#release(held, "sent it when the faults were cleared");
  }

  stop(): void {
    for (const { timer } of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
  }

  #hold(delivery: Delivery, message: Message, fault: DeliveryFault): "held" {
    const { late_ms = DEFAULT_LATE_MS, do: effect } = fault.delivery ?? { do: "late" };
    const timer = setTimeout(() => this.#release(held, `sent it ${late_ms} ms late`), late_ms);
    timer.unref();
    const untilAfter = effect === "reorder" ? { untilAfter: getSubjectId(message) } : {};
    const held: HeldDelivery = { delivery, fault, timer, ...untilAfter };
    this.#held.set(delivery.id, held);
    return "held";
  }

  #release({ delivery, fault, timer, untilAfter }: HeldDelivery, did: string): void {
    clearTimeout(timer);
    this.#held.delete(delivery.id);
    const effect = untilAfter === undefined ? "late" : "reorder";
    this.#due.set(delivery.id, { fault, did, effect, resendsMessage: false });
    this.#onRelease();
  }
}

/** Returns the id of the record that a message is about, which is the first field of every payload. */
const getSubjectId = ({ body }: Message): string => String(Object.values(JSON.parse(body).payload)[0]);
