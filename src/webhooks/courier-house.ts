// What the courier may ask of the rest of the house, and what it answers to a clock that is moved.
import type { Desk } from "../domain/desk.ts";
import type { Fact } from "../domain/facts.ts";
import type { Instant } from "../domain/instant.ts";
import type { Delivery, Message } from "../domain/records.ts";
import type { World } from "../world/world.ts";
import type { Speed } from "./retry.ts";

export interface CourierHouse {
  now(world: World): Instant;
  mode(world: World): "held" | "running";
  /** One transaction. */
  change<T>(world: World, cause: string, work: (desk: Desk) => T): { result: T; facts: readonly Fact[] };
  look<T>(world: World, question: (desk: Desk) => T): T;
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

export interface ReceiptLine {
  at: Instant;
  what: "deliveryAttempted";
  /** The delivery. */
  id: string;
  facts: Fact[];
}
