// Uses a running sandbox for the library: creates its worlds there, and removes them on close.
import { openControl } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { SettingError } from "../engine/settings.ts";
import { sendRequest } from "../platform/send-request.ts";
import { createSend, type Origin, unwrap } from "./ask.ts";
import { asyncDispose } from "./async-dispose.ts";
import { UnreachableError } from "./errors.ts";
import { applyState, cacheStates, isFolder, type LoadState, toPlaceholder } from "./folder.ts";
import { type RemoteSandbox, toWorldInput, type WorldOptions } from "./remote-sandbox.ts";
import type { Sandbox, World } from "./types.ts";
import { createWorld } from "./world.ts";

/** Connects to a running sandbox and creates the first world. `load` loads fixture folders. */
export async function connectSandbox(there: RemoteSandbox, load: LoadState): Promise<Sandbox> {
  const { url, controlToken } = there;
  const loadOnce = cacheStates(load);
  const ending = new AbortController();
  const send = async (request: Request) => {
    const signal = AbortSignal.any([request.signal, ending.signal]);
    try {
      return await translateFailure(sendRequest(new Request(request, { signal })), there);
    } catch (reason) {
      // Using the request here keeps Node from garbage-collecting the link between its signal and the combined one.
      throw request.signal.aborted ? request.signal.reason : reason;
    }
  };
  await assertFits(there, send);
  const worlds = new Set<string>();
  const isClosed = () => ending.signal.aborted;
  const controlUrl = `${url}/_sandbox`;
  const origin: Origin = { url, controlUrl, controlToken, worlds, isClosed, send: createSend(url, isClosed, send) };
  const afterwards = openControl({
    url,
    controlToken,
    send: (request) => translateFailure(sendRequest(request), there),
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= removeAll(worlds, (id) =>
      unwrap(afterwards.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } })),
    );
    ending.abort();
    return closing;
  };
  try {
    return {
      ...(await addWorld(origin, there, loadOnce)),
      controlUrl,
      controlToken,
      close,
      [asyncDispose]: close,
      world: (options = {}) => addWorld(origin, there, loadOnce, options),
    };
  } catch (reason) {
    await close().catch(() => undefined);
    throw reason;
  }
}

async function addWorld(origin: Origin, there: RemoteSandbox, load: LoadState, options?: WorldOptions): Promise<World> {
  const { world, assume, run } = there;
  // The webhook options apply to the first world only, unless a world has its own.
  const { webhookUrl: _, webhookEvents: _events, ...rest } = world;
  const input = toWorldInput({ ...(options ? rest : world), ...omitUndefined(options) });
  // The running sandbox does not have the files of a folder, so the state is loaded here and imported into a placeholder.
  const isOwnFolder = isFolder(input.fixture) && (options?.fixture ?? world.fixture) === world.fixture;
  const { fixture, clock, seed } = input;
  const beginning = isOwnFolder ? await load({ fixture, clock, seed, assume }) : undefined;
  const params = { header: { "sandbox-run": run } };
  const body = beginning ? toPlaceholder(input) : input;
  const made = await unwrap(openControl(origin).POST("/_sandbox/worlds", { params, body }));
  origin.worlds?.add(made.id);
  if (beginning) await applyState(origin, made, beginning);
  const opened = createWorld(origin, made, beginning);
  if (!beginning && Object.keys(assume).length > 0) await opened.assume({ ...assume });
  return opened;
}

const omitUndefined = (options: object = {}): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** Checks that a sandbox responds and has the required settings. */
async function assertFits({ url, controlToken, must, from }: RemoteSandbox, send: Origin["send"]): Promise<void> {
  const about = await unwrap(openControl({ url, controlToken, send }).GET("/_sandbox")).catch((reason: unknown) => {
    throw reason instanceof SyntaxError ? new UnreachableError(formatNotSandbox(url, from)) : reason;
  });
  if (typeof about?.instance !== "string") throw new UnreachableError(formatNotSandbox(url, from));
  for (const [name, value] of Object.entries(must)) {
    const has = name === "receiverTimeout" ? about.receiver_timeout : about[name as "maturity" | "retry"];
    if (has === value) continue;
    throw new SettingError(
      `${name} is ${value}, and the sandbox at ${url} was started with ${has}. Leave ${name} out, or name another sandbox.`,
    );
  }
}

const formatNotSandbox = (url: string, from: string): string =>
  `The program at ${url} is not a sandbox. Correct ${from}, or name another address.`;

function translateFailure(sent: Promise<Response>, { url, from }: RemoteSandbox): Promise<Response> {
  return sent.catch((reason: Error & { cause?: { code?: string; message?: string } }) => {
    const why = reason.cause?.code ?? reason.cause?.message ?? reason.message;
    throw new UnreachableError(`No sandbox responds at ${url} (${why}). Start it, or correct ${from}.`);
  });
}

/** Removes as many worlds as possible, and then throws the first error. */
async function removeAll(worlds: ReadonlySet<string>, remove: (id: string) => Promise<unknown>): Promise<void> {
  const removed = await Promise.allSettled([...worlds].map(remove));
  const reasons = removed.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  const failure = reasons.find((reason) => !(reason instanceof SandboxError && reason.status === 404));
  if (failure !== undefined) throw failure;
}
