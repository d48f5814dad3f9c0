// Where runs take place, and what is known of the service there; nothing is run yet.
import type { Server } from "../client/control.ts";
import { type About, serviceIn } from "./description.ts";
import { ownContext, type Start } from "./run-context.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { removeLeft, type Worlds, worldsIn } from "./worlds.ts";

export interface Where {
  seed: string;
  start: Start;
  /** A running sandbox; otherwise `start` makes one for each run. */
  server?: Server | undefined;
  /** What each world in it begins with; otherwise what the sandbox was started with. */
  fixture?: string | undefined;
  webhookEvents?: readonly string[] | undefined;
  /** The worlds of the runs stay in the running sandbox. */
  keep?: boolean | undefined;
}

interface Prepared {
  environment: RunEnvironment;
  about: About;
  /** The worlds that stay, as they are made. */
  worldsLeft: readonly string[];
}

/** Opens one sandbox to read its description, and closes it again. Rejects where none can be had. */
export async function prepare({
  server,
  keep,
  start,
  seed,
  fixture,
  webhookEvents,
  ...rest
}: Where & Omit<RunEnvironment, "open" | "service">): Promise<Prepared> {
  // A verdict that was killed has left worlds, which count against the quota.
  if (server) await removeLeft(server);
  const { open, worldsLeft }: Worlds = server
    ? worldsIn(server, { seed, keep, fixture, webhookEvents, limitMs: rest.limitMs })
    : { open: ({ webhookUrl }) => ownContext(start, { seed, webhookUrl }), worldsLeft: [] };
  const context = await open({});
  try {
    const { service, about } = await serviceIn(context);
    return { environment: { ...rest, open, service }, about, worldsLeft };
  } finally {
    await context.close();
  }
}
