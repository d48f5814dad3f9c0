// Creates the context of one scenario: a fresh world with credentials, tokens when a step needs them, and a receiver when a step uses
// one. Everything is removed at the end, also after a failure.

import type { Schemas } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { optional } from "../../platform/optional.ts";
import { type Relayed, startRelay } from "../relayed.ts";
import { canReadVariable } from "./check/references.ts";
import { ask, receive, requireOk, SandboxUnreachable } from "./client.ts";
import { isFolder } from "./fixture-folder.ts";
import type { Known } from "./operations.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { findReferences, resolve } from "./refs.ts";
import type { Loaded, Scenario, Target } from "./scenario.ts";
import { createTokenForm } from "./steps/call.ts";
import type { PlayContext } from "./steps/verb.ts";

export interface OpenPlay extends Omit<PlayContext, "playStep"> {
  /** The values that references can use before the first step. */
  memory: Map<string, Json>;
  relay?: Relayed | undefined;
  /** Removes everything, including the world unless it is kept. */
  clear(keepsWorld?: boolean): Promise<void>;
}

/**
 * `relays` says that the sandbox may not reach the receiver. Rejects with SandboxUnreachable, or ReferenceUnknown for a value of the head,
 * after removing everything.
 */
export async function openPlay(
  { scenario, row }: Loaded,
  target: Target,
  known: Known,
  relays = false,
): Promise<OpenPlay> {
  const { fixture, clock, seed, assume, given = {} } = scenario;
  const { url } = target;
  const server = createControl(target);
  const body = optional({ fixture: isFolder(fixture) ? undefined : fixture, clock, seed });
  const world = await requireOk(receive(server.POST("/_sandbox/worlds", { body })), "POST /_sandbox/worlds");
  const params = { path: { worldId: world.id } };
  const control = createControl(target, world.id);
  let receiver: Promise<Receiver> | undefined;
  // The receiver starts with the first step that uses it.
  const getReceiver = () => (receiver ??= startReceiver());
  let relay: Relayed | undefined;
  const memory = new Map<string, Json>(Object.entries({ world, env: readEnvironment(scenario, known) }));
  const clear = async (keepsWorld = false) => {
    relay?.close();
    await (await receiver)?.close();
    if (!keepsWorld) await receive(server.DELETE("/_sandbox/worlds/{worldId}", { params }));
  };
  try {
    if (assume)
      await requireOk(receive(control.PUT("/_sandbox/assumptions", { body: assume })), "PUT /_sandbox/assumptions");
    if (hasReceiverStep(scenario)) {
      if (relays) relay = await startRelay(control, url).catch(throwUnreachable);
      memory.set("receiver", { url: (await getReceiver()).url });
    }
    // A row of a file is data, so text that looks like a reference is not one.
    if (row) memory.set("row", typeof scenario.each === "string" ? row : resolve(row, memory));
    addGiven(given, memory);
  } catch (reason) {
    await clear();
    throw reason;
  }
  return { known, url, world, control, receiver: getReceiver, memory, relay, clear, ...createTokenCache(url, world) };
}

function throwUnreachable(reason: Error & { code?: string }): never {
  throw new SandboxUnreachable(reason.message, reason.code);
}

/** Each given value may refer to earlier ones. */
function addGiven(given: JsonObject, memory: Map<string, Json>): void {
  const resolved: JsonObject = {};
  memory.set("given", resolved);
  for (const [name, value] of Object.entries(given)) resolved[name] = resolve(value, memory);
}

/** Caches one token for each set of scopes until the clock moves. */
function createTokenCache(base: string, world: Schemas["NewWorld"]): Pick<PlayContext, "getToken" | "forgetTokens"> {
  const tokens = new Map<string, Promise<string>>();
  return {
    getToken(scopes) {
      const scope = scopes?.join(" ") ?? "";
      const known = tokens.get(scope);
      if (known) return known;
      const token = requestToken(base, world, scope);
      // The cache has the promise, so that parallel rounds share one request.
      tokens.set(scope, token);
      return token;
    },
    forgetTokens: () => tokens.clear(),
  };
}

async function requestToken(base: string, world: Schemas["NewWorld"], scope: string): Promise<string> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ ...createTokenForm(world), ...(scope ? { scope } : {}) }).toString();
  const answer = await ask({ method: "POST", url: `${base}/oauth2/token`, headers, body });
  const { access_token, error_description } = (answer.body ?? {}) as JsonObject;
  if (typeof access_token === "string") return access_token;
  throw new SandboxUnreachable(
    `no token for \`${scope || "all scopes"}\`: ${answer.error ?? error_description ?? answer.status}`,
  );
}

/** Reads only the environment variables that the scenario names and may read. */
function readEnvironment(scenario: Scenario, { env = [] }: Known): JsonObject {
  const names = findReferences(scenario).flatMap(({ text }) => /^\s*env[.[](\w+)/.exec(text)?.[1] ?? []);
  return Object.fromEntries(
    names.filter((name) => canReadVariable(name, env)).map((name) => [name, process.env[name] ?? null]),
  );
}

function hasReceiverStep(scenario: Scenario): boolean {
  const named = findReferences(scenario).some(({ text }) => /^\s*receiver\b/.test(text));
  return named || JSON.stringify(scenario.steps).includes('"receiver":');
}
