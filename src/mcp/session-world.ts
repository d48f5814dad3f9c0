// Manages the world of a session: a world created for it, or an existing one.
import { type Server, unwrap } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { optional } from "../platform/optional.ts";
import type { NewWorldSettings, Session } from "./tool.ts";

export interface SandboxServer extends Server {
  /** The address for clients, such as that of a load balancer. `url` is the address of this process. */
  publicUrl: string;
  version: string;
  /** The folder of the package, which contains the documents. */
  folder: string;
}

/** `named` is an existing world. Without it, a world is created with an id from `newId`. Rejects with a SandboxError. */
export async function openWorld(
  sandbox: SandboxServer,
  named: string | undefined,
  newId: () => string,
): Promise<Session> {
  let world = named ?? "";
  // The worlds that were created for the session. They stay until it ends, so that a model can return to each.
  let own: readonly string[] = [];
  // Requests that list, create or copy worlds name no world to work in.
  const control = createControl(sandbox);

  const useOwnWorld = (id: string) => {
    [world, own] = [id, [...own, id]];
  };

  async function createOwnWorld(settings: NewWorldSettings = {}): Promise<void> {
    const body = optional({ ...settings, id: newId() });
    useOwnWorld((await unwrap(control.POST("/_sandbox/worlds", { body }))).id);
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
    ask: (call) => unwrap(call(createControl(sandbox, world))),
    create: createOwnWorld,
    fork,
    use(id) {
      world = id;
    },
  };
}

export const removeWorldAt = (sandbox: Server, worldId: string, signal: AbortSignal | null = null) =>
  unwrap(createControl(sandbox).DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId } }, signal }));
