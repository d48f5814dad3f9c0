// Where scenarios are played: a running sandbox, one made for the occasion, or, for what no world can choose, one of a scenario's own.
import { controlOf, must } from "./client.ts";
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
  /** What the sandbox says of itself. */
  about: JsonObject;
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
    const control = controlOf(target);
    const about = await must(control("GET", ""), `the sandbox at ${target.url}`);
    return { target, about, known: await learn(target, control, about), close };
  } catch (reason) {
    await close();
    throw reason;
  }
}

/** In the given sandbox, or, for what no world can choose, in one of its own. */
export async function playIn(
  application: Application,
  loaded: Loaded,
  options: Choice,
  told: NonNullable<Playing["told"]>,
): Promise<Result> {
  const { target, known, about } = application;
  const inputs = Object.entries(loaded.scenario.server ?? {});
  if (inputs.every(([name, value]) => about[name] === value)) return play(loaded, target, { known, told });
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
