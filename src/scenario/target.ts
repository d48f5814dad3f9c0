// Where scenarios are played: in a running sandbox, in one made for the run, or, for server-wide options, in one of a scenario's own.
import { controlOf, type Schemas } from "../client/control.ts";
import { must, received } from "./client.ts";
import { type Known, learn } from "./operations.ts";
import { type Playing, play } from "./play.ts";
import type { JsonObject, Loaded, Result, Target } from "./scenario.ts";

/** A sandbox made for playing; options are the settings' own names (`maturity`, `rateLimit`). */
export type Start = (options: Record<string, unknown>) => Promise<Target & { close(): Promise<void> }>;

export interface Choice {
  /** A running sandbox; otherwise `start` makes one. */
  url?: string;
  controlToken?: string;
  start: Start;
}

export interface Application {
  target: Target;
  known: Known;
  /** The sandbox as it describes itself. */
  about: Schemas["SandboxDescription"];
  close(): Promise<void>;
}

export async function opened({ url, controlToken, start }: Choice): Promise<Application> {
  const base = url?.replace(/(?<!\/)\/+$/, "");
  const started = base === undefined ? await start({}) : undefined;
  const target: Target = started ?? {
    url: base ?? "",
    controlUrl: `${base}/_sandbox`,
    ...(controlToken ? { controlToken } : {}),
  };
  const close = async () => started?.close();
  try {
    const about = await must(received(controlOf(target).GET("/_sandbox")), `the sandbox at ${target.url}`);
    return { target, about, known: await learn(target, about), close };
  } catch (reason) {
    await close();
    throw reason;
  }
}

/** In the given sandbox, or, when the scenario has server-wide options, in one of its own. */
export async function playIn(
  application: Application,
  loaded: Loaded,
  options: Choice,
  told: NonNullable<Playing["told"]>,
): Promise<Result> {
  const { target, known, about } = application;
  const inputs = Object.entries(loaded.scenario.server ?? {});
  if (inputs.every(([name, value]) => (about as JsonObject)[name] === value))
    return play(loaded, target, { known, told });
  if (options.url !== undefined)
    return notPlayed(loaded, inputs.map(([name, value]) => `${name} ${String(value)}`).join(", "));
  const settings = inputs.map(([name, value]) => [
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  const own = await options.start(Object.fromEntries(settings) as Record<string, unknown>);
  try {
    return await play(loaded, own, { known, told });
  } finally {
    await own.close();
  }
}

function notPlayed({ file, scenario }: Loaded, input: string): Result {
  const skipped = `it needs a sandbox of its own with ${input}; play it without --url, or start one like that`;
  return {
    file,
    title: scenario.title,
    passed: false,
    skipped,
    steps: [],
    left: scenario.steps.length,
    duration_ms: 0,
    blots: [],
  };
}
