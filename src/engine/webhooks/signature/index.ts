// Explains the signatures of deliveries, and compares them with signatures that your receiver computed.

import type { Schemas } from "../../../contract/schemas.ts";
import { mustExist } from "../../domain/kernel/domain-error.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import type { World } from "../../world/state/world.ts";
import { checkSignature } from "./check.ts";
import { showSignature } from "./explain.ts";
import { type Choice, collect, type Material } from "./material.ts";

interface SignatureDeps {
  read<T>(world: World, question: (tx: Transaction) => T): T;
  /** Returns the wall-clock time in milliseconds. */
  wall(): number;
}

/** Both functions reject with NOT_FOUND if the message, the delivery or the attempt does not exist. */
export function makeSignatures({ read, wall }: SignatureDeps) {
  const readAt = <T>(world: World, id: string, chosen: Choice, question: (tx: Transaction, of: Material) => T): T =>
    read(world, (tx) => question(tx, collect(tx, mustExist(tx.messages.get(id), "message", id), chosen, wall())));
  return {
    signature: (world: World, id: string, chosen: Choice) => readAt(world, id, chosen, (_, of) => showSignature(of)),
    checkSignature: (world: World, id: string, chosen: Choice, sent: Schemas["ComputedSignature"]) =>
      readAt(world, id, chosen, (tx, of) => checkSignature(tx, of, sent.computed)),
  };
}
