// The world that a session is about: made for it, or one that is there. A world that somebody took away is made again.
import { type Control, type HttpOutcome, type Server, unwrap } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { optional } from "../platform/optional.ts";
import type { Beginning, Session } from "./tool.ts";

/** Where the sandbox is, and what a session needs to be at home there. */
export interface SandboxServer extends Server {
  /** Where clients reach the sandbox, such as a load balancer. `url` is the address of this process. */
  publicUrl: string;
  version: string;
  /** The package with its documents. */
  folder: string;
}

interface WorldSession extends Session {
  /** Once: what whoever calls tools has to know before the answer. */
  news(): string;
  /** From now on no world is made again. */
  end(): void;
}

const NEW_WORLD = "Somebody removed your world, so you have a new one: call overview for its credentials.\n\n";

/**
 * `named`: a world that is there; without it one is made with the id that `newId` gives. Rejects with a SandboxError.
 */
export async function openWorld(
  sandbox: SandboxServer,
  named: string | undefined,
  newId: () => string,
): Promise<WorldSession> {
  let [world, news] = [named ?? "", ""];
  // The one that was made last, and the one that a fork has left as it was.
  let own: readonly string[] = [];
  let hasEnded = false;
  // For requests about worlds as such, which name no world to work in.
  const anywhere = createControl(sandbox);

  async function renew(beginning: Beginning = {}, spared?: string): Promise<string[]> {
    const body = optional({ ...beginning, id: newId() });
    return settle(await unwrap(anywhere.POST("/_sandbox/worlds", { body })), spared);
  }

  /** A session has two worlds of its own at most. Returns those that it has removed. */
  async function settle({ id }: { id: string }, spared?: string): Promise<string[]> {
    const removed = own.filter((each) => each !== spared);
    [world, own] = [id, spared === undefined ? [id] : [id, spared]];
    // Somebody may have removed them already.
    for (const each of removed) await removeWorldAt(sandbox, each).catch(() => undefined);
    return removed;
  }

  async function ask<T>(call: (control: Control) => Promise<HttpOutcome<T>>): Promise<T> {
    try {
      return await unwrap(call(createControl(sandbox, world)));
    } catch (reason) {
      // A world that was named belongs to somebody, and is never made again.
      if (hasEnded || !own.includes(world) || !isGone(reason, world)) throw reason;
      own = own.filter((each) => each !== world);
      news = NEW_WORLD;
      await renew({}, own[0]);
      return unwrap(call(createControl(sandbox, world)));
    }
  }

  async function fork(worldId: string): ReturnType<Session["fork"]> {
    const params = { path: { worldId } };
    const { items } = await unwrap(anywhere.POST("/_sandbox/worlds/{worldId}/fork", { params, body: { count: 1 } }));
    // Whoever tries something in a copy goes back to where it was.
    const spared = [worldId, world, ...own].find((each) => own.includes(each));
    const [copy] = items;
    return { spared, removed: copy ? await settle(copy, spared) : [] };
  }

  if (named === undefined) await renew();
  return {
    url: sandbox.publicUrl,
    folder: sandbox.folder,
    world: () => world,
    own: () => own,
    ask,
    renew,
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
      hasEnded = true;
    },
  };
}

export const removeWorldAt = (sandbox: Server, worldId: string, signal: AbortSignal | null = null) =>
  unwrap(createControl(sandbox).DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId } }, signal }));

/** By the sentence, since 404 also answers a record that is not there. */
const isGone = (reason: unknown, world: string): boolean =>
  reason instanceof SandboxError && reason.status === 404 && reason.message.startsWith(`There is no world ${world}.`);
