// The stage of one scenario: a fresh world with its credentials, tokens as they are needed, a receiver when one is asked for.
// Everything is put away at the end, also after a failure.
import { ask, type Came, type Control, must, SandboxFault } from "./client.ts";
import type { Known } from "./operations.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { referencesIn } from "./refs.ts";
import type { Json, JsonObject, Scenario } from "./scenario.ts";
import type { Stage, World } from "./steps/verb.ts";

export interface Scene extends Omit<Stage, "playStep"> {
  /** What references can see before the first step. */
  memory: Map<string, Json>;
  clear(): Promise<void>;
}

export async function setStage(scenario: Scenario, url: string, control: Control, known: Known): Promise<Scene> {
  const { fixture, clock, seed, assume, given = {} } = scenario;
  const input = Object.fromEntries(Object.entries({ fixture, clock, seed }).filter(([, value]) => value !== undefined));
  const world = (await must(control("POST", "/worlds", input as JsonObject), "POST /_sandbox/worlds")) as World;
  const away = () => control("DELETE", `/worlds/${encodeURIComponent(world.id)}`);
  const within = (method: string, path: string, body?: Json) => control(method, path, body, world.id);
  let receiver: Promise<Receiver> | undefined;
  const receiverOf = () => (receiver ??= startReceiver());
  const memory = new Map<string, Json>(Object.entries({ world, given, env: environmentOf(scenario) }));
  const clear = async () => {
    await (await receiver)?.close();
    await away();
  };
  try {
    if (assume) await must(within("PUT", "/assumptions", assume), "PUT /_sandbox/assumptions");
    if (needsReceiver(scenario)) memory.set("receiver", { url: (await receiverOf()).url });
  } catch (reason) {
    await clear();
    throw reason;
  }
  return { known, url, world, control: within, receiver: receiverOf, memory, clear, ...tokensOf(url, world) };
}

/** One token for each set of scopes, until the clock moves. */
function tokensOf(base: string, world: World): Pick<Stage, "token" | "forgetTokens"> {
  const tokens = new Map<string, Promise<string>>();
  return {
    token(scopes) {
      const scope = scopes?.join(" ") ?? "";
      const known = tokens.get(scope);
      if (known) return known;
      const asked = tokenFor(base, world, scope);
      tokens.set(scope, asked);
      return asked;
    },
    forgetTokens: () => tokens.clear(),
  };
}

async function tokenFor(base: string, { url, client_id, client_secret }: World, scope: string): Promise<string> {
  const form = {
    grant_type: "client_credentials",
    audience: url,
    client_id,
    client_secret,
    ...(scope ? { scope } : {}),
  };
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const came: Came = await ask({
    method: "POST",
    url: `${base}/oauth2/token`,
    headers,
    body: new URLSearchParams(form).toString(),
  });
  const { access_token, error_description } = (came.body ?? {}) as JsonObject;
  if (typeof access_token === "string") return access_token;
  throw new SandboxFault(
    `no token for \`${scope || "all scopes"}\`: ${came.error ?? error_description ?? came.status}`,
  );
}

/** Only what the scenario names, so that nothing else of the environment is near. */
function environmentOf(scenario: Scenario): JsonObject {
  const names = referencesIn(scenario).flatMap(({ text }) => /^\s*env[.[](\w+)/.exec(text)?.[1] ?? []);
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? null]));
}

function needsReceiver(scenario: Scenario): boolean {
  const named = referencesIn(scenario).some(({ text }) => /^\s*receiver\b/.test(text));
  return named || JSON.stringify(scenario.steps).includes('"receiver":');
}
