// The door for importers: a sandbox in this process, silent, on a free port, in memory unless `data` is given.
import { controlOf, dataOf } from "./client/control.ts";
import { rethrow } from "./client/wording.ts";
import { type Serving, serve } from "./http/serve.ts";
import { type Place, type World, worldAt } from "./library/world.ts";
import { makeSandbox, type Sandbox as Running } from "./sandbox.ts";
import type { SandboxOptions } from "./settings.ts";

export { SandboxError } from "./client/sandbox-error.ts";
export type { components, operations, paths, webhooks } from "./generated/api.ts";
export type { Credentials, Fact, Fault, JournalRequest, Message, ReceiptLine, World } from "./library/world.ts";
export type { SandboxOptions, Settings } from "./settings.ts";

export interface WorldOptions {
  id?: string;
  fixture?: string;
  /** The instant the world's clock is held at; without it the sandbox's own choice. */
  clock?: string;
  seed?: number | string;
}

/** The world `default`, and the sandbox around it. */
export interface Sandbox extends World {
  readonly controlUrl: string;
  readonly controlToken: string;
  /** A world of its own: other state, clock, credentials, journal and faults. One per test. */
  world(options?: WorldOptions): Promise<World>;
  /** Ends the sandbox; nothing stays open. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox. `port` is a free one unless given; every other option is as on the command line.
 * Rejects with a SettingFault, a FixtureFault or a PortFault whose message says what to do; then nothing stays open.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await makeSandbox(options).catch(rethrow);
  const { host, port } = sandbox.application.settings;
  let serving: Serving | undefined;
  try {
    serving = await serve(sandbox.app, port, host);
    sandbox.reachedAt(serving.url);
    return await within(sandbox, serving);
  } catch (reason) {
    await sandbox.close(serving?.close());
    throw reason;
  }
}

async function within(sandbox: Running, serving: Serving): Promise<Sandbox> {
  const place: Place = {
    url: serving.url,
    controlUrl: `${serving.url}/_sandbox`,
    controlToken: sandbox.application.controlToken,
  };
  const control = controlOf(place);
  const inDefault = { params: { path: { worldId: "default" } } };
  const { items } = await dataOf(control.GET("/_sandbox/worlds/{worldId}/credentials", inDefault));
  const key = items[0] as (typeof items)[number];
  return {
    ...worldAt(place, { id: "default", ...key }),
    controlUrl: place.controlUrl,
    controlToken: place.controlToken,
    world: async (input = {}) => worldAt(place, await dataOf(control.POST("/_sandbox/worlds", { body: input }))),
    close: () => sandbox.close(serving.close()),
  };
}
