// The signatures of deliveries, for the person whose receiver refuses one: explained, and compared with what their code computed.

import type { Schemas } from "../../../contract/schemas.ts";
import { found } from "../../domain/kernel/domain-error.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import type { World } from "../../world/state/world.ts";
import { checkSignature } from "./check.ts";
import { showSignature } from "./explain.ts";
import { type Chosen, collect, type Material } from "./material.ts";

interface SignatureDeps {
  read<T>(world: World, question: (tx: Transaction) => T): T;
  /** The wall clock in milliseconds. */
  wall(): number;
}

/** Both reject with NOT_FOUND where there is no such message, delivery or attempt. */
export function makeSignatures({ read, wall }: SignatureDeps) {
  const readAt = <T>(world: World, id: string, chosen: Chosen, question: (tx: Transaction, of: Material) => T): T =>
    read(world, (tx) => question(tx, collect(tx, found(tx.messages.get(id), "message", id), chosen, wall())));
  return {
    signature: (world: World, id: string, chosen: Chosen) => readAt(world, id, chosen, (_, of) => showSignature(of)),
    checkSignature: (world: World, id: string, chosen: Chosen, sent: Schemas["ComputedSignature"]) =>
      readAt(world, id, chosen, (tx, of) => checkSignature(tx, of, sent.computed)),
  };
}
