// The world that a session is about: made for it, or one that is there. A world that somebody took away is made again.
import { type Remote, remoteOf, SandboxError } from "../library/remote.ts";
import type { Session } from "./tool.ts";

/** Where the sandbox is, and what a session needs to be at home there. */
export interface Place {
  url: string;
  controlToken: string;
  version: string;
  /** The package with its documents. */
  folder: string;
  newWorldId(): string;
}

export interface WorldSession extends Session {
  /** Once: what whoever calls tools has to know before the answer. */
  news(): string;
}

export async function openWorld(place: Place, named: string | undefined): Promise<WorldSession> {
  const to = (world: string) => remoteOf(place.url, world, place.controlToken);
  let [world, own, news] = [named ?? "", undefined as string | undefined, ""];

  async function renew(input: object = {}): Promise<void> {
    const { id } = await to("default").post<{ id: string }>("/_sandbox/worlds", { id: place.newWorldId(), ...input });
    await settle(id);
  }

  /** A session has one world of its own at most. */
  async function settle(id: string): Promise<void> {
    const former = own;
    [world, own] = [id, id];
    if (former !== undefined)
      await to(former)
        .delete(`/_sandbox/worlds/${former}`)
        .catch(() => undefined);
  }

  async function asked<T>(ask: (remote: Remote) => Promise<T>): Promise<T> {
    try {
      return await ask(to(world));
    } catch (reason) {
      if (world !== own || !isGone(reason, own)) throw reason;
      own = undefined;
      await renew();
      news = "Somebody removed your world, so you have a new one: call overview for its credentials.\n\n";
      return ask(to(world));
    }
  }

  if (named === undefined) await renew();
  return {
    url: place.url,
    folder: place.folder,
    get world() {
      return world;
    },
    get own() {
      return own;
    },
    sandbox: {
      get: (path, query) => asked((remote) => remote.get(path, query)),
      post: (path, body) => asked((remote) => remote.post(path, body)),
      put: (path, body) => asked((remote) => remote.put(path, body)),
      delete: (path) => asked((remote) => remote.delete(path)),
    },
    renew: (input) => renew(input),
    async fork(source) {
      const { items } = await to(source).post<{ items: [{ id: string }] }>(
        `/_sandbox/worlds/${encodeURIComponent(source)}/fork`,
        {},
      );
      await settle(items[0].id);
    },
    use(id) {
      world = id;
    },
    news() {
      const told = news;
      news = "";
      return told;
    },
  };
}

const isGone = (reason: unknown, world: string): boolean =>
  reason instanceof SandboxError && reason.status === 404 && reason.message.startsWith(`There is no world ${world}.`);
