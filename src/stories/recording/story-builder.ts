// Builds a scenario: its steps, their unique names, and the references between them.

import type { JsonObject } from "../../platform/json.ts";
import type { DeliveryEntry, LogSlice, Message, RecordedStep } from "./log-slice.ts";
import { ReferenceTable } from "./reference-table.ts";

interface RequestedToken {
  client_id: string;
  scope: string;
  /** The name of the step. */
  step: string;
  /** The time on the world's clock at which the token expires, in milliseconds since the epoch. */
  expiresAt: number;
}

export class StoryBuilder {
  readonly slice: LogSlice;
  readonly references: ReferenceTable;
  readonly steps: RecordedStep[] = [];
  /** The steps that request a token of a key that is not the player's. */
  readonly tokens: RequestedToken[] = [];
  /** The messages so far, including those of the preparation. */
  readonly messages: Message[] = [];
  /** The first attempt of each delivery, by the id of the message. */
  readonly firstAttempts = new Map<string, DeliveryEntry[]>();
  readonly leftOut = new Map<string, number>();
  /** The time on the world's clock. */
  now: string;
  /** The paths at the player's receiver, by the URL of the subscription. */
  readonly receivers = new Map<string, string>();
  /** The current status that the player's receiver returns. */
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

  /** Adds a step with a unique name, which it returns. */
  add(base: string, members: JsonObject): string {
    // References can't contain brackets or braces, so names must not either.
    const plain = base.replaceAll(/[${}[\]]/g, "");
    let name = plain;
    for (let number = 2; this.#names.has(name); number++) name = `${plain} ${number}`;
    this.#names.add(name);
    this.steps.push({ name, ...members });
    return name;
  }

  /** Notes an omitted entry. Equal notes are counted. */
  leaveOut(sentence: string): void {
    this.leftOut.set(sentence, (this.leftOut.get(sentence) ?? 0) + 1);
  }
}

/** Converts `createBooking` to `create booking`. */
export const toWords = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
