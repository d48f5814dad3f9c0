// What an armed fault makes of a delivery: a message that is not sent, sent later, twice, or after something that is not it. What is held
// back is remembered here alone: after a restart it is sent at once, as what is pending always is.

import type { Schemas } from "../../contract/schemas.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";

/** The fault of a delivery as it was armed. */
export type DeliveryFault = Schemas["FaultInput"] & { name: string };

export type DeliveryEffect = Schemas["DeliveryFault"]["do"];

/** What the attempt at hand does on purpose. */
export interface Injected {
  fault: DeliveryFault;
  did: string;
  doing: DeliveryEffect;
  /** The message itself is sent afterwards, whatever is answered. */
  again: boolean;
}

const DEFAULT_LATE_MS = 5000;

/** What is sent before the message itself. */
const FORGED: Partial<Record<DeliveryEffect, string>> = {
  altered: "first sent a copy whose body is not the one that was signed",
  wrong_secret: "first sent a copy that is signed with another secret",
  stale_timestamp: "first sent a copy that is an hour old",
  missing_header: "first sent a copy without webhook-signature",
  unknown_kind: "first sent a message of an unknown kind",
};

/** What is done to the message itself. */
const DID: Partial<Record<DeliveryEffect, string>> = {
  drop: "did not send it",
  duplicate: "sent it twice",
  unknown_members: "put unknown members into its body",
  rewritten: "wrote its JSON differently",
};

interface HeldDelivery {
  delivery: Delivery;
  fault: DeliveryFault;
  timer: NodeJS.Timeout;
  /** The record of which the next message to the same subscription lets it go. */
  untilAfter?: string;
}

interface DeliveryFaultsDeps {
  /** The fault that hits a message of this kind, counted. */
  faultFor(kind: string): DeliveryFault | undefined;
  /** Called when one that was held back can be sent. */
  released(): void;
}

export class DeliveryFaults {
  readonly #needs: DeliveryFaultsDeps;
  readonly #held = new Map<string, HeldDelivery>();
  /** Let go, and not sent yet. */
  readonly #due = new Map<string, Injected>();

  constructor(needs: DeliveryFaultsDeps) {
    this.#needs = needs;
  }

  /** Whether it is held back: not to be sent yet. */
  readonly holds = (delivery: string): boolean => this.#held.has(delivery);

  /** Undefined: nothing happens to it. "held": it is not sent now. */
  findNext(delivery: Delivery, message: Message): Injected | "held" | undefined {
    const due = this.#due.get(delivery.id);
    this.#due.delete(delivery.id);
    if (due || delivery.attempts.length > 0 || delivery.resend) return due;
    const fault = this.#needs.faultFor(message.kind);
    if (!fault?.delivery) return undefined;
    const { do: doing } = fault.delivery;
    if (doing === "late" || doing === "reorder") return this.#hold(delivery, message, fault);
    const forged = FORGED[doing];
    const did = forged ?? DID[doing] ?? doing;
    return { fault, did, doing, again: forged !== undefined || doing === "duplicate" };
  }

  /** After a first attempt: what waits for a message about the same record, to the same subscription, follows it. */
  recordSent({ subscription_id, attempts }: Delivery, message: Message): void {
    // Before the body is parsed: hardly ever is anything held back, and this is asked after each attempt.
    if (this.#held.size === 0 || attempts.length > 1) return;
    const about = getSubjectId(message);
    for (const held of this.#held.values())
      if (held.delivery.subscription_id === subscription_id && held.untilAfter === about)
        this.#release(held, "sent it after the next message about the same record");
  }

  /** The faults, or those of this name, are cleared: they hold nothing back any more. */
  release(name?: string): void {
    for (const held of this.#held.values())
      if (name === undefined || held.fault.name === name) this.#release(held, "sent it when the faults were cleared");
  }

  stop(): void {
    for (const { timer } of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
  }

  #hold(delivery: Delivery, message: Message, fault: DeliveryFault): "held" {
    const { late_ms = DEFAULT_LATE_MS, do: doing } = fault.delivery ?? { do: "late" };
    const timer = setTimeout(() => this.#release(held, `sent it ${late_ms} ms late`), late_ms);
    timer.unref();
    const held: HeldDelivery = {
      delivery,
      fault,
      timer,
      ...(doing === "reorder" ? { untilAfter: getSubjectId(message) } : {}),
    };
    this.#held.set(delivery.id, held);
    return "held";
  }

  #release({ delivery, fault, timer, untilAfter }: HeldDelivery, did: string): void {
    clearTimeout(timer);
    this.#held.delete(delivery.id);
    this.#due.set(delivery.id, {
      fault,
      did,
      doing: untilAfter === undefined ? "late" : "reorder",
      again: false,
    });
    this.#needs.released();
  }
}

/** The id of the record that a message is about: every payload begins with it. */
const getSubjectId = ({ body }: Message): string => String(Object.values(JSON.parse(body).payload)[0]);
