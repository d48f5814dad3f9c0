// Manages the world of a session: a world created for it, or an existing one. If its own world was removed, it creates another.
import { type Control, type HttpOutcome, type Server, unwrap } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { optional } from "../platform/optional.ts";
import type { NewWorldSettings, Session } from "./tool.ts";

export interface SandboxServer extends Server {
  /** The address for clients, such as that of a load balancer. `url` is the address of this process. */
  publicUrl: string;
  version: string;
  /** The folder of the package, which contains the documents. */
  folder: string;
}

interface WorldSession extends Session {
  /** Returns a notice for the model, to put before the next result. Each notice is returned once. */
  news(): string;
  /** Ends the session, after which no world is created. */
  end(): void;
}

const NEW_WORLD = "Your world was removed, so you have a new one: call overview for its credentials.\n\n";

/** `named` is an existing world. Without it, a world is created with an id from `newId`. Rejects with a SandboxError. */
export async function openWorld(
  sandbox: SandboxServer,
  named: string | undefined,
  newId: () => string,
): Promise<WorldSession> {
  let [world, news] = [named ?? "", ""];
  // The worlds that were created for the session. They stay until it ends, so that a model can return to each.
  let own: readonly string[] = [];
  let isEnded = false;
  // Requests that list, create or copy worlds name no world to work in.
  const control = createControl(sandbox);

  const useOwnWorld = (id: string) => {
    [world, own] = [id, [...own, id]];
  };

  async function createOwnWorld(settings: NewWorldSettings = {}): Promise<void> {
    const body = optional({ ...settings, id: newId() });
    useOwnWorld((await unwrap(control.POST("/_sandbox/worlds", { body }))).id);
  }

  async function ask<T>(call: (control: Control) => Promise<HttpOutcome<T>>): Promise<T> {
    try {
      return await unwrap(call(createControl(sandbox, world)));
    } catch (reason) {
      // A named world belongs to another client, so it is never created again.
      if (isEnded || !own.includes(world) || !isWorldMissing(reason, world)) throw reason;
      own = own.filter((each) => each !== world);
      news = NEW_WORLD;
      await createOwnWorld();
      return unwrap(call(createControl(sandbox, world)));
    }
  }

  async function fork(worldId: string): Promise<void> {
    const params = { path: { worldId } };
    const { items } = await unwrap(control.POST("/_sandbox/worlds/{worldId}/fork", { params, body: { count: 1 } }));
    for (const { id } of items) useOwnWorld(id);
  }

  if (named === undefined) await createOwnWorld();
  return {
    url: sandbox.publicUrl,
    folder: sandbox.folder,
    world: () => world,
    own: () => own,
    ask,
    create: createOwnWorld,
    fork,
    use(id) {
      world = id;
    },
    news() {
      const unread = news;
      news = "";
      return unread;
    },
    end() {
      isEnded = true;
    },
  };
}

export const removeWorldAt = (sandbox: Server, worldId: string, signal: AbortSignal | null = null) =>
  unwrap(createControl(sandbox).DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId } }, signal }));

/** Compares the message, because a missing record also causes a 404 response. */
const isWorldMissing = (reason: unknown, world: string): boolean =>
  reason instanceof SandboxError && reason.status === 404 && reason.message.startsWith(`There is no world ${world}.`);
