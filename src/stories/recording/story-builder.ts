// The story as far as it is written: its steps, their names, and what they know.

import type { JsonObject } from "../../platform/json.ts";
import type { DeliveryEntry, LogSlice, Message, RecordedStep } from "./log-slice.ts";
import { ReferenceTable } from "./reference-table.ts";

interface RequestedToken {
  client_id: string;
  scope: string;
  /** The name of the step. */
  step: string;
  /** Milliseconds since the epoch, by the world's clock; the token is invalid from then on. */
  expiresAt: number;
}

export class StoryBuilder {
  readonly slice: LogSlice;
  readonly references: ReferenceTable;
  readonly steps: RecordedStep[] = [];
  /** The steps that request a token of a key that is not the player's. */
  readonly tokens: RequestedToken[] = [];
  /** The messages so far, those of its preparation among them. */
  readonly messages: Message[] = [];
  /** Of each delivery of a message, by the id of the message. */
  readonly firstAttempts = new Map<string, DeliveryEntry[]>();
  readonly leftOut = new Map<string, number>();
  /** The time on the world's clock. */
  now: string;
  /** The addresses that subscriptions have, each with its path at the player's receiver. */
  readonly receivers = new Map<string, string>();
  /** What the player's receiver answers. */
  answer = 200;
  readonly #names = new Set<string>();

  constructor(slice: LogSlice) {
    this.slice = slice;
    this.references = new ReferenceTable(slice.begins);
    this.now = slice.beginning.clock;
    for (const entry of slice.entries) {
      if (entry.kind !== "delivery" || entry.attempt.number > 1) continue;
      const { message_id } = entry;
      this.firstAttempts.set(message_id, [...(this.firstAttempts.get(message_id) ?? []), entry]);
    }
  }

  /** A step, under a name that no other has. */
  add(base: string, members: JsonObject): string {
    // A name with brackets or braces could not be referred to.
    const plain = base.replaceAll(/[${}[\]]/g, "");
    let name = plain;
    for (let number = 2; this.#names.has(name); number++) name = `${plain} ${number}`;
    this.#names.add(name);
    this.steps.push({ name, ...members });
    return name;
  }

  /** Said once, with how often. */
  leaveOut(sentence: string): void {
    this.leftOut.set(sentence, (this.leftOut.get(sentence) ?? 0) + 1);
  }
}

/** createBooking → create booking. */
export const toWords = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
