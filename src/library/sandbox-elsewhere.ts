// The sandbox of the library where it runs already: its worlds are made there, and removed at the end.

import { controlOf, type Schemas } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { SettingError } from "../engine/settings.ts";
import { sendRequest } from "../platform/send-request.ts";
import { dataOf } from "./ask.ts";
import { asyncDispose } from "./async-dispose.ts";
import type { Elsewhere } from "./elsewhere.ts";
import { UnreachableError } from "./errors.ts";
import {
  type Begin,
  type Beginning,
  becomes,
  isFolder,
  type NewWorld,
  rememberedBeginnings,
  toPlaceholder,
} from "./folder.ts";
import { type Origin, sendingTo } from "./origin.ts";
import type { Sandbox } from "./sandbox.ts";
import type { World } from "./types.ts";
import { createWorld } from "./world.ts";
import { type WorldOptions, worldInput } from "./world-options.ts";

/** How many worlds are removed at once. */
const AT_ONCE = 8;

/** The worlds that begin as the options say, in a sandbox that runs already. */
export async function sandboxElsewhere(there: Elsewhere, load: Begin): Promise<Sandbox> {
  const { url, controlToken } = there;
  const begin = rememberedBeginnings(load);
  const ending = new AbortController();
  const send = async (request: Request) => {
    const signal = AbortSignal.any([request.signal, ending.signal]);
    try {
      return await reached(sendRequest(new Request(request, { signal })), there);
    } catch (reason) {
      // Node collects the link between two signals with their request, so the request has to be used until here.
      throw request.signal.aborted ? request.signal.reason : reason;
    }
  };
  await mustFit(there, send);
  const worlds = new Set<string>();
  const isClosed = () => ending.signal.aborted;
  const origin: Origin = {
    ...{ url, controlUrl: `${url}/_sandbox`, controlToken, worlds, isClosed, send: sendingTo(url, isClosed, send) },
  };
  const afterwards = controlOf({ url, controlToken, send: (request) => reached(sendRequest(request), there) });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= removed(worlds, (id) =>
      dataOf(afterwards.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } })),
    );
    ending.abort();
    return closing;
  };
  try {
    return {
      ...(await newWorld(origin, there, begin)),
      ...{ controlUrl: origin.controlUrl, controlToken, close, [asyncDispose]: close },
      world: (options = {}) => newWorld(origin, there, begin, options),
    };
  } catch (reason) {
    await close().catch(() => undefined);
    throw reason;
  }
}

async function newWorld(origin: Origin, there: Elsewhere, begin: Begin, options?: WorldOptions): Promise<World> {
  const { world, assume, run } = there;
  // A subscription is made for the world that asks for it.
  const { webhookUrl: _, webhookEvents: _events, ...rest } = world;
  const input = worldInput({ ...(options ? rest : world), ...withoutUndefined(options) });
  const create = async (body: Schemas["WorldInput"]): Promise<NewWorld> => {
    const params = { header: { "sandbox-run": run } };
    const made = await dataOf(controlOf(origin).POST("/_sandbox/worlds", { params, body }));
    origin.worlds?.add(made.id);
    return made;
  };
  if (isFolder(input.fixture) && (options?.fixture ?? world.fixture) === world.fixture) {
    const { fixture, clock, seed } = input;
    return fromFolder(origin, input, await begin({ fixture, clock, seed, assume }), create);
  }
  const opened = createWorld(origin, await create(input));
  if (Object.keys(assume).length > 0) await opened.assume({ ...assume });
  return opened;
}

/** The sandbox there has not got its files, so it begins as another, and takes its state from here. */
async function fromFolder(
  origin: Origin,
  input: Schemas["WorldInput"],
  beginning: Beginning,
  create: (input: Schemas["WorldInput"]) => Promise<NewWorld>,
): Promise<World> {
  const made = await create(toPlaceholder(input));
  await becomes(origin, made, beginning);
  return createWorld(origin, made, beginning);
}

const withoutUndefined = (options: object = {}): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));

/** What answers is a sandbox, and as the options want it. */
async function mustFit({ url, controlToken, must, from }: Elsewhere, send: Origin["send"]): Promise<void> {
  const about = await dataOf(controlOf({ url, controlToken, send }).GET("/_sandbox")).catch((reason: unknown) => {
    throw reason instanceof SyntaxError ? new UnreachableError(stranger(url, from)) : reason;
  });
  if (typeof about?.instance !== "string") throw new UnreachableError(stranger(url, from));
  for (const [name, value] of Object.entries(must)) {
    const has = name === "receiverTimeout" ? about.receiver_timeout : about[name as "maturity" | "retry"];
    if (has === value) continue;
    throw new SettingError(
      `${name} is ${value}, and the sandbox at ${url} was started with ${has}. Leave ${name} out, or name another sandbox.`,
    );
  }
}

const stranger = (url: string, from: string): string =>
  `What answers at ${url} is not a sandbox. Correct ${from}, or name another address.`;

function reached(sent: Promise<Response>, { url, from }: Elsewhere): Promise<Response> {
  return sent.catch((reason: Error & { cause?: { code?: string; message?: string } }) => {
    const why = reason.cause?.code ?? reason.cause?.message ?? reason.message;
    throw new UnreachableError(`No sandbox answers at ${url} (${why}). Start it, or correct ${from}.`);
  });
}

/** All that can be; then the first failure, if there was one. */
async function removed(worlds: ReadonlySet<string>, remove: (id: string) => Promise<unknown>): Promise<void> {
  const left = [...worlds];
  const failures: unknown[] = [];
  const next = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      await remove(id).catch((reason) => {
        if (!(reason instanceof SandboxError && reason.status === 404)) failures.push(reason);
      });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  if (failures.length > 0) throw failures[0];
}
