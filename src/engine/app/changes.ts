// One change of a world: its clock read, its transaction run, its messages written with their cause, and its deliveries sent.

import { reject } from "../domain/kernel/domain-error.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import type { Done } from "./application.ts";

export interface Changes {
  /** At the world's own now, once what is due by then is done; deliveries that became due are sent. */
  change<T>(world: World, cause: Cause, work: (tx: Transaction) => T): Done<T>;
  /** At an instant of a clock move, which sends deliveries itself. */
  changeAt<T>(world: World, at: Instant, cause: Cause, work: (tx: Transaction) => T): Done<T>;
  /** Once what is due by now is done. */
  read<T>(world: World, question: (tx: Transaction) => T): T;
  /** As the records stand. */
  readAsIs<T>(world: World, question: (tx: Transaction) => T): T;
}

interface ChangeAtDeps {
  /** The cause of the transaction that is running: whoever commits it names it. */
  running: { cause: Cause };
  /** The current world of that id; a reset, a restore or an import puts another in its place. */
  current(id: string): World | undefined;
}

interface ChangesDeps extends Pick<Changes, "changeAt"> {
  now(world: World): Instant;
  /** Does what is due by the world's now, and returns that now. */
  catchUp(world: World): Instant;
  nudge(world: World): void;
}

export const nothingRuns = (): { cause: Cause } => ({ cause: { kind: "world", id: "" } });

export function makeChangeAt({ running, current }: ChangeAtDeps): Changes["changeAt"] {
  const mustBeCurrent = (world: World): void => {
    const now = current(world.id);
    if (!now) reject("NOT_FOUND", { kind: "world", id: world.id });
    if (now !== world) reject("WORLD_WAS_RESET", { world_id: world.id });
  };
  return (world, at, why, work) => {
    mustBeCurrent(world);
    running.cause = why;
    return world.transact(at, work);
  };
}

export function makeChanges({ changeAt, now, catchUp, nudge }: ChangesDeps): Changes {
  return {
    changeAt,
    change(world, why, work) {
      const outcome = changeAt(world, catchUp(world), why, work);
      if (outcome.facts.length > 0) nudge(world);
      return outcome;
    },
    read: (world, question) => world.read(catchUp(world), question),
    readAsIs: (world, question) => world.read(now(world), question),
  };
}
