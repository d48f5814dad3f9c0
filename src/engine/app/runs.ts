// Tracks which worlds belong to a run. A checked program may create worlds for its tests: their log counts for the
// world of the run, and once the run has begun, its faults, acts and assumptions apply to them too.

import type { Schemas } from "../../contract/schemas.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { LogEntry } from "../log/view.ts";
import { listMessages } from "../webhooks/messages.ts";
import { findRecord, getRecordPage } from "./records.ts";

/** The acts and assumptions with which each world of a run begins. */
export interface Run {
  /** The world in which the run began. */
  readonly world: string;
  readonly acts: readonly { act: string; input: unknown }[];
  readonly assumptions: Readonly<Record<string, string>>;
}

export class Runs {
  readonly #begun = new Map<string, Run>();
  /** World → the world in which its run began. */
  readonly #heads = new Map<string, string>();
  readonly #pending = new Set<string>();

  begin(run: Run): void {
    this.#begun.set(run.world, run);
  }

  join(world: string, head: string): void {
    this.#heads.set(world, head);
    if (this.#begun.has(head)) this.#pending.add(world);
  }

  /** Returns the world whose run this one is part of, even before the run begins. */
  findHead(world: string): string | undefined {
    return this.#heads.get(world);
  }

  /** Returns the run of this world once it has begun. */
  findRun(world: string): Run | undefined {
    return this.#begun.get(this.#heads.get(world) ?? "");
  }

  /** Returns the run whose acts and assumptions the world does not have yet, once. */
  takePending(world: string): Run | undefined {
    return this.#pending.delete(world) ? this.findRun(world) : undefined;
  }

  /** Lists the worlds that are part of the run of this world. */
  listMembers(head: string): string[] {
    return [...this.#heads].flatMap(([world, of]) => (of === head ? [world] : []));
  }

  /** Forgets a removed world and its run. */
  forget(world: string): void {
    this.#begun.delete(world);
    this.#heads.delete(world);
    this.#pending.delete(world);
  }
}

/** The limit of records per kind, as in responses of the control API. */
const MAX_RECORDS_PER_KIND = 1000;

/** Reads the data of a world that its run needs after the removal. `requests`: the requests of the run in this world. */
export function readLeftInWorld(tx: Transaction, requests: readonly LogEntry[]): Schemas["LeftInWorld"] {
  const made = requests.flatMap(({ facts }) => facts.filter(({ fact }) => fact === "booking.created"));
  const bookings = [...new Set(made.map(({ id }) => id))].flatMap((id) => {
    const view = findRecord(tx, "bookings", id);
    return view ? { record: view.record, references: view.references } : [];
  });
  return {
    messages: listMessages(tx, { limit: MAX_RECORDS_PER_KIND }).items,
    subscriptions: getRecordPage(tx, "subscriptions", { limit: MAX_RECORDS_PER_KIND }).items,
    bookings,
  };
}
