// Triggers an event kind on request. Kinds that only time can cause are triggered by a move of the clock. Heading "Event kinds".

import { mustExist, reject } from "../domain/kernel/domain-error.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { EVENT_KINDS } from "../domain/kernel/kinds.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { showEvent } from "../domain/views.ts";
import type { Cause } from "../world/state/commit.ts";
import type { Transacted, World } from "../world/state/world.ts";
import { kinds } from "./kinds.ts";
import { findDueCompletion } from "./triggers/events.ts";

/** `inputs` are fields of the trigger's sample to replace, by path, such as `event_id` or `customer.email`. */
export function triggerKind(tx: Transaction, kind: string, inputs: Readonly<Record<string, unknown>>): object {
  const known = EVENT_KINDS.find((each) => each === kind);
  if (!known)
    return reject("INVALID_INPUT", {
      path: "body.kind",
      what: `there is no kind ${kind}. Known: ${EVENT_KINDS.join(", ")}.`,
    });
  const result = kinds[known].trigger(tx, inputs);
  // A trigger without facts would send no message.
  if (tx.facts.length > 0) return result;
  const what = "the record already has these values, so no message would be sent. Set other values.";
  return reject("NOTHING_SUITABLE", { kind, what });
}

interface TriggerDeps {
  change(world: World, cause: Cause, work: (tx: Transaction) => object): Transacted<object>;
  read<T>(world: World, question: (tx: Transaction) => T): T;
  advance(
    world: World,
    until: Instant,
    by: Cause,
  ): Promise<{ receipt: readonly { id: string; facts: readonly Fact[] }[] }>;
}

export function makeTrigger({ change, read, advance }: TriggerDeps) {
  return async (
    world: World,
    kind: string,
    inputs: Readonly<Record<string, unknown>>,
    cause: Cause,
  ): Promise<Transacted<object>> => {
    // An event completes only when its end has passed, so the clock is moved.
    const due = kind === "v1.event.completed" ? read(world, (tx) => findDueCompletion(tx, inputs)) : undefined;
    if (!due) return change(world, cause, (tx) => triggerKind(tx, kind, inputs));
    // The move also runs everything else that becomes due before that time.
    const { receipt } = await advance(world, due.at, cause);
    const result = read(world, (tx) => showEvent(mustExist(tx.events.get(due.id), "event", due.id)));
    return { result, facts: receipt.filter(({ id }) => id === due.id).flatMap(({ facts }) => facts) };
  };
}
