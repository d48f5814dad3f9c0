// The entry point for importers: a sandbox in this process, silent, on a free port, in memory unless `data` is given.
import { type Control, openControl } from "./client/control.ts";
import { SCOPES } from "./engine/domain/index.ts";
import {
  assertFreePort,
  createInProcessServer,
  createMountedRouter,
  listCredentials,
  NO_PORT,
  PortError,
  type Serving,
  serve,
} from "./engine/http/index.ts";
import { isStoreError } from "./engine/log/index.ts";
import { readSettings, type SandboxOptions, type Settings } from "./engine/settings.ts";
import { createSend, type Origin, unwrap } from "./library/ask.ts";
import { asyncDispose } from "./library/async-dispose.ts";
import { connectSandbox } from "./library/connect-sandbox.ts";
import { DataError } from "./library/errors.ts";
import { type InitialState, toImportable } from "./library/folder.ts";
import { findRemoteSandbox, isMounted, type StartOptions, toWorldInput } from "./library/remote-sandbox.ts";
import type { MountedSandbox, Sandbox } from "./library/types.ts";
import { createWorld } from "./library/world.ts";
import { isBadPort } from "./platform/bad-port.ts";
import { emitWarning, makeSandbox, type Sandbox as Running } from "./sandbox.ts";

export type { OwnPosting, Reconciled, ReconcileFinding } from "./client/reconcile.ts";
export { SandboxError, type SandboxErrorCode } from "./client/sandbox-error.ts";
export type { components, operations, paths, webhooks } from "./contract/generated/api.ts";
export type { ActId, ActInput, ActResults } from "./engine/acts/index.ts";
export { FixtureError } from "./engine/fixtures/index.ts";
export { PortError } from "./engine/http/index.ts";
export { type SandboxOptions, SettingError, type Settings } from "./engine/settings.ts";
export { ClosedError, DataError, NoMessageError, TimeoutError, UnreachableError } from "./library/errors.ts";
export type { StartOptions, WorldOptions } from "./library/remote-sandbox.ts";
export type * from "./library/types.ts";

/**
 * Starts a sandbox, or uses [one that runs already](testing.md#a-sandbox-that-runs-already). Options are those of the command line, but the
 * default port is a free one, and the clock is held at the time of the fixture (`clock: "now"` runs it). The sandbox does not keep the
 * process alive. Rejects with a SettingError, a FixtureError, a PortError or a DataError; then nothing stays open. Warnings are emitted as
 * `SandboxWarning` of the process.
 */
export function startSandbox(options: StartOptions & { listen: false }): Promise<MountedSandbox>;
export function startSandbox(options?: StartOptions): Promise<Sandbox>;
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
  const there = findRemoteSandbox(options);
  if (there) return connectSandbox(there, readBeginning);
  const inputs = toInputs(options);
  const settings = readSettings(inputs);
  if (!isMounted(options)) await assertUsablePort(settings);
  const sandbox = await makeSandbox(inputs).catch(throwReason);
  try {
    const started = await (isMounted(options) ? mount(sandbox) : listen(sandbox));
    for (const sentence of sandbox.warnings) emitWarning(sentence);
    return started;
  } catch (reason) {
    await sandbox.close();
    throw reason;
  }
}

/**
 * Checks the port before anything is created: a port that is in use, or that `fetch` rejects, must not change a data
 * file.
 */
async function assertUsablePort(settings: Settings): Promise<void> {
  const { port } = settings;
  if (port !== 0 && isBadPort(port))
    throw new PortError(
      `Port ${port} is rejected by fetch, in Node as in browsers; choose another port, or port 0 for a free one.`,
    );
  await assertFreePort(settings);
}

/** Converts errors of a database to DataError, so that importers need only one class. */
function throwReason(reason: unknown): never {
  throw isStoreError(reason) ? new DataError(reason.message, { cause: reason }) : reason;
}

/** Starts a server that does not keep the process alive, or a test that forgets to close it would never end. */
async function listen(sandbox: Running): Promise<Sandbox> {
  const { host, port } = sandbox.application.settings;
  const serving: Serving = await serve(sandbox.router, port, host);
  serving.unref();
  // The address is set before the first request, because addresses in responses contain it.
  await sandbox.reachedAt(serving.url);
  // The library's own requests need no port: neither a proxy nor a test that intercepts requests is in their way.
  const near = createInProcessServer(sandbox.router);
  const close = () => {
    near.close();
    return serving.close();
  };
  return connect(sandbox, { url: serving.url, send: near.send, close }).catch(async (reason) => {
    await close();
    throw reason;
  });
}

/** Mounts a sandbox. The library sends its own requests in memory. */
async function mount(sandbox: Running): Promise<MountedSandbox> {
  const near = createInProcessServer(sandbox.router);
  await sandbox.reachedAt(NO_PORT);
  let isClosed = false;
  const close = async () => {
    isClosed = true;
    near.close();
  };
  const own = await connect(sandbox, { url: NO_PORT, send: near.send, close });
  const router = createMountedRouter(sandbox, () => isClosed);
  return { ...own, router, handler: router };
}

/** Returns the initial state of a sandbox with these options. */
async function readBeginning(options: SandboxOptions): Promise<InitialState> {
  const { application, close } = await makeSandbox(options);
  try {
    const world = application.worlds.get("default") as NonNullable<ReturnType<typeof application.worlds.get>>;
    const [{ scopes } = { scopes: [] }] = world.credentials().keys.all();
    return {
      document: toImportable(JSON.parse([...application.states.export(world)].join(""))),
      scopes: scopes.length === SCOPES.length ? undefined : (scopes as InitialState["scopes"]),
    };
  } finally {
    await close();
  }
}

/**
 * Removes the options that are not settings. Holds the clock by default, so that tests give the same result at every
 * hour and on every day. Anything but an object is left for readSettings to reject.
 */
function toInputs(options: StartOptions): SandboxOptions {
  if (typeof options !== "object" || options === null) return options;
  const { url: _, listen: _listen, ...settings } = options;
  return { ...settings, clock: settings.clock === undefined ? "anchor" : settings.clock };
}

interface Reached extends Pick<Serving, "url" | "close"> {
  send: Origin["send"];
}

async function connect(sandbox: Running, { url, send, close: end }: Reached): Promise<Sandbox> {
  let closing: Promise<void> | undefined;
  const close = () => {
    // Closing twice is allowed, because both a test and its runner may close the sandbox.
    closing ??= sandbox.close(end()).catch(throwReason);
    return closing;
  };
  const isClosed = () => closing !== undefined;
  // The client is the same as for a remote sandbox, so that both behave alike.
  const origin: Origin = {
    url,
    controlUrl: `${url}/_sandbox`,
    controlToken: sandbox.application.controlToken,
    isClosed,
    send: createSend(url, isClosed, send),
  };
  const control = openControl(origin);
  const { items, webhook_secret } = await fetchCredentials(sandbox, control);
  const key = items[0] as (typeof items)[number];
  return {
    ...createWorld(origin, { id: "default", ...key, ...(webhook_secret ? { webhook_secret } : {}) }),
    controlUrl: origin.controlUrl,
    controlToken: origin.controlToken,
    world: async (input = {}) =>
      createWorld(origin, await unwrap(control.POST("/_sandbox/worlds", { body: toWorldInput(input) }))),
    close,
    [asyncDispose]: close,
  };
}

/**
 * Reads the credentials without a request, which would take a fifth of a start. On a database, another node may have
 * the world open.
 */
async function fetchCredentials({ application }: Running, control: Control) {
  const world = application.worlds.get("default");
  if (world) return listCredentials(world, application);
  const inDefault = { params: { path: { worldId: "default" } } };
  return unwrap(control.GET("/_sandbox/worlds/{worldId}/credentials", inDefault));
}
