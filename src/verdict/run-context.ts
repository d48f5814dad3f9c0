// Where a run takes place: a sandbox of its own in memory, or a world of its own in a running one. Nothing of it stays.
import { type Control, type Schemas, type Server, unwrap } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { optional } from "../platform/optional.ts";
import { type Relayed, relayTo } from "../stories/index.ts";
import type { Connection } from "./connection.ts";

/** `close` ends whatever was made for the run. */
export interface RunContext {
  connection: Connection;
  control: Control;
  world: string;
  /** The control API in a world that is part of the run. */
  controlIn(world: string): Control;
  /** In a running sandbox: brings the messages of the world to receivers on this machine. */
  relay?: Relayed;
  close(): Promise<void>;
}

/** The settings of a run: the clock is held where the fixture begins, so that every run sees the same. */
export interface RunOptions {
  seed: string;
  /** In a running sandbox; one of its own is started with it. */
  fixture?: string | undefined;
  webhookUrl?: string | undefined;
  webhookEvents?: readonly string[] | undefined;
}

interface OwnSandbox extends Server {
  close(): Promise<void>;
}

/** Starts a sandbox in memory on a free port. */
export type Start = (options: RunOptions) => Promise<OwnSandbox>;

export async function ownContext(start: Start, options: RunOptions): Promise<RunContext> {
  const { close, ...server } = await start(options);
  const control = createControl(server, "default");
  try {
    const params = { path: { worldId: "default" } };
    const { items, webhook_secret } = await unwrap(control.GET("/_sandbox/worlds/{worldId}/credentials", { params }));
    // The first key of the world, as `sandbox env` takes it.
    const [key] = items;
    if (!key) throw new Error("The fixture has no key, so that no program can call.");
    return {
      connection: connectionOf(server, key, webhook_secret ?? null),
      control,
      world: "default",
      controlIn: (id) => createControl(server, id),
      close,
    };
  } catch (reason) {
    // A sandbox that can't be used is not left running.
    await close();
    throw reason;
  }
}

export async function contextIn(
  server: Server,
  { seed, fixture, webhookUrl, webhookEvents, id }: RunOptions & { id: string },
): Promise<RunContext> {
  const surface = createControl(server);
  const webhooks = webhookUrl === undefined ? {} : { webhook_url: webhookUrl, webhook_events: webhookEvents };
  const body = { id, clock: "anchor", seed, ...optional({ fixture, ...webhooks }) } as Schemas["WorldInput"];
  const world = await unwrap(surface.POST("/_sandbox/worlds", { body }));
  const params = { path: { worldId: world.id } };
  const control = createControl(server, world.id);
  const remove = async () => void (await surface.DELETE("/_sandbox/worlds/{worldId}", { params }));
  // The sandbox may be on another machine, which can't reach a receiver on this one.
  const relay = await relayTo(control, server.url).catch(async (reason) => {
    await remove();
    throw reason;
  });
  return {
    connection: connectionOf(server, world, world.webhook_secret ?? null),
    ...{ control, world: world.id, relay, controlIn: (id: string) => createControl(server, id) },
    close: () => {
      relay.close();
      return remove();
    },
  };
}

function connectionOf(
  { url, controlToken }: Server,
  { client_id, client_secret }: { client_id: string; client_secret: string },
  webhook_secret: string | null,
): Connection {
  return {
    ...{ url, auth_url: url, token_url: `${url}/oauth2/token`, control_url: `${url}/_sandbox` },
    ...{ client_id, client_secret, control_token: controlToken, webhook_secret },
  };
}
