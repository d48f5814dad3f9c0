// Selects the sandbox for scenarios: a running one, a new one for the run, or a separate one for a scenario with server-wide options.
import type { Schemas } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import type { JsonObject } from "../../platform/json.ts";
import { optional } from "../../platform/optional.ts";
import { receive, requireOk, SandboxUnreachable } from "./client.ts";
import { checkFolders, type FixtureFolders, resolveFixtureFolder, toOption } from "./fixture-folder.ts";
import { type Known, learn } from "./operations.ts";
import { type Playing, play } from "./play.ts";
import type { Loaded, Result, Target } from "./scenario.ts";

/** Starts a sandbox for scenarios. The options have the names of the settings (`maturity`, `rateLimit`). */
type Start = (options: Record<string, unknown>) => Promise<Target & { close(): Promise<void> }>;

export interface Choice extends Pick<Playing, "patienceMs" | "keepsFailed" | "signal"> {
  /** The address of a running sandbox. Default: `start` starts one. */
  url?: string;
  controlToken?: string;
  start: Start;
  /** Scenarios that name a folder need this to play with `url`. */
  folders?: FixtureFolders;
  /** Environment variables that scenarios may read in addition to SANDBOX_URL and similar ones. Default: none. */
  env?: readonly string[];
}

export interface Application {
  target: Target;
  known: Known;
  /** The sandbox's description of itself. */
  about: Schemas["SandboxDescription"];
}

/** Runs the work with the sandbox for these scenarios. Rejects with SandboxUnreachable after stopping everything that it started. */
export async function withApplication<T>(
  { url, controlToken, start, env = [], folders: reader }: Choice,
  loaded: readonly Loaded[],
  work: (application: Application) => Promise<T>,
): Promise<T> {
  const base = url?.replace(/(?<!\/)\/+$/, "");
  const started = base === undefined ? await start({}) : undefined;
  const target: Target = started ?? {
    url: base ?? "",
    controlUrl: `${base}/_sandbox`,
    ...(controlToken ? { controlToken } : {}),
  };
  try {
    const about = await describeSandbox(target);
    const names = await learn(target, about);
    const folders = await checkFolders(loaded, reader);
    return await work({ target, about, known: { ...names, env, folders } });
  } finally {
    await started?.close();
  }
}

/** Requests the sandbox's description of itself. Rejects with SandboxUnreachable if no sandbox responds. */
export async function describeSandbox(target: Target): Promise<Schemas["SandboxDescription"]> {
  const answered = await receive(createControl(target).GET("/_sandbox"));
  const { status, headers } = answered;
  // Every response of a sandbox has this header.
  if (status !== null && headers["sandbox-request-id"] === undefined)
    throw new SandboxUnreachable(
      `The program at ${target.url} is not a sandbox: it responded with ${status} and without the header sandbox-request-id. Name another address with --url.`,
      "SANDBOX_UNREACHABLE",
    );
  return requireOk(Promise.resolve(answered), `the sandbox at ${target.url}`);
}

/** Plays in the given sandbox, or in a separate one if the scenario has server-wide options. */
export async function playIn(
  application: Application,
  loaded: Loaded,
  options: Choice,
  onStep: NonNullable<Playing["onStep"]>,
): Promise<Result> {
  const { target, known, about } = application;
  const { url, patienceMs, signal } = options;
  const keepsFailed = url !== undefined && options.keepsFailed === true;
  const playing = { known, onStep, keepsFailed, relays: url !== undefined, ...optional({ patienceMs, signal }) };
  const folder = resolveFixtureFolder(loaded);
  const inputs = Object.entries(loaded.scenario.server ?? {});
  // A running sandbox with the same options is sufficient.
  const needs = inputs.every(([name, value]) => (about as JsonObject)[name] === value)
    ? []
    : inputs.map(([name, value]) => `${name} ${String(value)}`);
  if (folder !== undefined && (options.url === undefined || !(await isStartedFrom(folder, target, options))))
    needs.push(`--fixture ${toOption(folder)}`);
  if (needs.length === 0) return play(loaded, target, playing);
  // A running sandbox can't be restarted with other options.
  if (options.url !== undefined) return createSkippedResult(loaded, needs.join(", "));
  const settings = inputs.map(([name, value]) => [
    // Scenarios use snake case, and settings use camel case.
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  const own = await options.start({ ...Object.fromEntries(settings), ...optional({ fixture: folder }) });
  try {
    return await play(loaded, own, playing);
  } finally {
    await own.close();
  }
}

/** Returns whether the worlds of a running sandbox start from the files of this folder. */
async function isStartedFrom(folder: string, target: Target, { folders }: Choice): Promise<boolean> {
  const server = createControl(target);
  const { id } = await requireOk(receive(server.POST("/_sandbox/worlds", { body: {} })), "POST /_sandbox/worlds");
  const params = { path: { worldId: id } };
  const { body } = await receive(server.GET("/_sandbox/worlds/{worldId}", { params }));
  await receive(server.DELETE("/_sandbox/worlds/{worldId}", { params }));
  return folders !== undefined && body.fixture_fingerprint === (await folders.readFingerprint(folder));
}

function createSkippedResult({ file, scenario: { title, steps } }: Loaded, input: string): Result {
  const skipped = `it needs a sandbox of its own with ${input}; play it without --url, or start one like that`;
  return { file, title, passed: false, skipped, steps: [], left: steps.length, duration_ms: 0, blots: [] };
}
