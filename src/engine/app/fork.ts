// A fork: a copy of a world under another id, as it is now or as it was at a moment, with keys of its own. Assumptions: ids (its seed is
// mixed with its id), delivery-targets (its subscriptions are disabled).
import { createKey } from "../domain/company/key.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { RowChange } from "../world/state/commit.ts";
import { ownSeed } from "../world/state/seed.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";

interface ForkDeps {
  worlds: Worlds;
  newCredentials(world: string): { id: string; secret: string };
  newWorldId(): string;
  loaded(world: World): void;
}

/** `changes` put it back to a moment; without any it is the world as it is now. */
export function forkOne(needs: ForkDeps, world: World, now: Instant, changes: readonly RowChange[]): World {
  const id = needs.newWorldId();
  // Clients of the one must not reach the other, so the scopes are copied and the secrets are not.
  const keys = [...world.credentials().keys.all()].filter((key) => !key.revoked_at);
  const makeOwn = (copy: World) =>
    copy.transact(now, (tx) => {
      for (const key of [...copy.credentials().keys.all()]) tx.keys.remove(key.id);
      for (const token of [...copy.credentials().tokens.all()]) tx.tokens.remove(token.id);
      for (const { name, scopes } of keys) createKey(tx, { ...needs.newCredentials(id), name, scopes });
      // Disabled: the receiver of the original would get messages of two worlds.
      for (const { pinned: _, ...subscription } of [...copy.credentials().subscriptions.all()])
        tx.subscriptions.put({ ...subscription, state: "DISABLED" });
      // The original sends them.
      for (const delivery of [...tx.deliveries.walk("due")]) tx.deliveries.put({ ...delivery, state: "DROPPED" });
      const identity = tx.identity.get("identity");
      // Other ids from here on, so that records of the two can be told apart.
      if (identity) tx.identity.put({ ...identity, seed: ownSeed(identity.seed, id) });
    });
  const fork = needs.worlds.fork(world.id, id, makeOwn, changes);
  needs.loaded(fork);
  return fork;
}
