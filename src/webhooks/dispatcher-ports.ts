// What the dispatcher may ask of the rest of the program.

import type { Fact } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { World } from "../world/state/world.ts";
import type { Speed } from "./retry.ts";

export interface DispatcherPorts {
  now(world: World): Instant;
  mode(world: World): "held" | "running";
  /** One transaction. */
  change<T>(world: World, cause: string, work: (tx: Transaction) => T): { result: T; facts: readonly Fact[] };
  look<T>(world: World, question: (tx: Transaction) => T): T;
  /** The world that has this id now: a reset or a restore puts another in its place. */
  world(id: string): World | undefined;
  /** The wall clock in milliseconds. */
  wall(): number;
  retry: Speed;
  /** Tells whoever watches; the attempt is recorded. */
  attempted(worldId: string, delivery: Delivery, message: Message): void;
  /** Something was thrown that nobody waits for. */
  failed(world: World, reason: unknown): void;
}

export type { ReceiptLine } from "../domain/kernel/facts.ts";
