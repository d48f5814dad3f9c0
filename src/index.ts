// The door for importers: a sandbox in this process, silent, on a free port, in memory unless `data` is given.
import { type Control, controlOf } from "./client/control.ts";
import { rethrow } from "./client/wording.ts";
import { SCOPES } from "./domain/company/key.ts";
import { credentialsOf } from "./http/control/worlds.ts";
import { type Serving, serve } from "./http/serve.ts";
import { dataOf } from "./library/ask.ts";
import { elsewhere, type StartOptions } from "./library/elsewhere.ts";
import { asBegunElsewhere, type Beginning } from "./library/folder.ts";
import { type Place, sendingTo } from "./library/place.ts";
import type { Sandbox } from "./library/sandbox.ts";
import { sandboxElsewhere } from "./library/sandbox-elsewhere.ts";
import { worldAt } from "./library/world.ts";
import { worldInput } from "./library/world-options.ts";
import { makeSandbox, type Sandbox as Running } from "./sandbox.ts";
import type { SandboxOptions } from "./settings.ts";

export type { ActId, ActInput, ActResults } from "./acts/act-types.ts";
export { SandboxError } from "./client/sandbox-error.ts";
export { FixtureFault } from "./fixtures/fixture-fault.ts";
export type { components, operations, paths, webhooks } from "./generated/api.ts";
export { PortFault } from "./http/port-fault.ts";
export type { StartOptions } from "./library/elsewhere.ts";
export { ClosedError, TimeoutError, UnreachableError } from "./library/errors.ts";
export type { Sandbox } from "./library/sandbox.ts";
export type {
  ArmedFault,
  Credentials,
  Diff,
  Fact,
  Fault,
  JournalRequest,
  Kind,
  LogEntry,
  LogFilter,
  Message,
  Moment,
  Moved,
  Operation,
  ReceiptLine,
  RecordedStory,
  RecordHistory,
  RecordOptions,
  Replayed,
  RequestFilter,
  Rewound,
  Why,
  World,
  WorldRecording,
} from "./library/types.ts";
export type { WorldOptions } from "./library/world-options.ts";
export { type SandboxOptions, SettingFault, type Settings } from "./settings.ts";

/**
 * Starts a sandbox, or uses [one that runs already](testing.md#a-sandbox-that-runs-already). `port` is a free one unless given, and the clock is held at the instant that the fixture was written for; with
 * `clock: "now"` it runs with real time. Every other option is as on the command line. The sandbox does not keep the process alive.
 * Rejects with a SettingFault, a FixtureFault or a PortFault whose message says what to do; then nothing stays open.
 */
export async function startSandbox(options: StartOptions = {}): Promise<Sandbox> {
  const there = elsewhere(options);
  if (there) return sandboxElsewhere(there, beginningOf);
  const sandbox = await makeSandbox(held(startedWith(options))).catch(rethrow);
  const { host, port } = sandbox.application.settings;
  let serving: Serving | undefined;
  try {
    serving = await serve(sandbox.app, port, host);
    serving.unref();
    sandbox.reachedAt(serving.url);
    return await within(sandbox, serving);
  } catch (reason) {
    await sandbox.close(serving?.close());
    throw reason;
  }
}

/** What a sandbox would begin as, had it been started here. */
async function beginningOf(options: SandboxOptions): Promise<Beginning> {
  const { application, close } = await makeSandbox(options).catch(rethrow);
  try {
    const world = application.worlds.get("default") as NonNullable<ReturnType<typeof application.worlds.get>>;
    const [{ scopes } = { scopes: [] }] = world.credentials().keys.all();
    return {
      document: asBegunElsewhere(JSON.parse([...application.states.export(world)].join(""))),
      scopes: scopes.length === SCOPES.length ? undefined : (scopes as Beginning["scopes"]),
    };
  } finally {
    await close();
  }
}

/** What is no record of options is left to be refused with the others. */
function startedWith(options: StartOptions): SandboxOptions {
  if (typeof options !== "object" || options === null) return options;
  const { url: _, ...settings } = options;
  return settings;
}

/** Tests mean the same at every hour and on every day, unless they ask for real time. */
function held(options: SandboxOptions): SandboxOptions {
  const isGiven = typeof options !== "object" || options === null || options.clock !== undefined;
  return isGiven ? options : { ...options, clock: "anchor" };
}

async function within(sandbox: Running, serving: Serving): Promise<Sandbox> {
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= sandbox.close(serving.close());
    return closing;
  };
  const { url } = serving;
  const place: Place = {
    url,
    controlUrl: `${url}/_sandbox`,
    controlToken: sandbox.application.controlToken,
    send: sendingTo(url, () => closing !== undefined),
  };
  const control = controlOf(place);
  const { items, webhook_secret } = await credentialsOfDefault(sandbox, control);
  const key = items[0] as (typeof items)[number];
  return {
    ...worldAt(place, { id: "default", ...key, ...(webhook_secret ? { webhook_secret } : {}) }),
    controlUrl: place.controlUrl,
    controlToken: place.controlToken,
    world: async (input = {}) =>
      worldAt(place, await dataOf(control.POST("/_sandbox/worlds", { body: worldInput(input) }))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Known without a request, which takes a fifth of a start; but another node on the same database may have the world open. */
async function credentialsOfDefault({ application }: Running, control: Control) {
  const world = application.worlds.get("default");
  if (world) return credentialsOf(world, application);
  const inDefault = { params: { path: { worldId: "default" } } };
  return dataOf(control.GET("/_sandbox/worlds/{worldId}/credentials", inDefault));
}
