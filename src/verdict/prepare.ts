// Prepares the environment of runs, and reads the description of the sandbox.
import type { Server } from "../client/control.ts";
import { readService, type SandboxDescription } from "./description.ts";
import { type StartSandbox, startOwnContext } from "./run-context.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { prepareWorlds, removeAbandoned, type Worlds } from "./worlds.ts";

export interface RunTarget {
  seed: string;
  start: StartSandbox;
  /** A running sandbox. Without it, `start` creates a sandbox for each run. */
  server?: Server | undefined;
  /** The fixture of each world in a running sandbox. Default: the fixture of the sandbox. */
  fixture?: string | undefined;
  webhookEvents?: readonly string[] | undefined;
  /** The worlds of the runs stay in the running sandbox. */
  keep?: boolean | undefined;
}

interface PreparedRuns {
  environment: RunEnvironment;
  about: SandboxDescription;
  /** The ids of the worlds that stay. The list grows with each run. */
  worldsLeft: readonly string[];
}

/** Opens a sandbox to read its description, and closes it again. Rejects if there is no sandbox. */
export async function prepareRuns({
  server,
  keep,
  start,
  seed,
  fixture,
  webhookEvents,
  ...rest
}: RunTarget & Omit<RunEnvironment, "open" | "service">): Promise<PreparedRuns> {
  // Worlds of a killed verdict count against the quota.
  if (server) await removeAbandoned(server);
  const { open, worldsLeft }: Worlds = server
    ? prepareWorlds(server, { seed, keep, fixture, webhookEvents, limitMs: rest.limitMs })
    : { open: ({ webhookUrl }) => startOwnContext(start, { seed, webhookUrl }), worldsLeft: [] };
  const context = await open({});
  try {
    const { service, about } = await readService(context);
    return { environment: { ...rest, open, service }, about, worldsLeft };
  } finally {
    await context.close();
  }
}
