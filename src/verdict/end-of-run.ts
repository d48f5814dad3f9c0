// How a run ends: a program that serves does not end by itself. When it has come to rest the host does what hosts do, and then the
// program is stopped.
import { setTimeout as pause } from "node:timers/promises";
import type { Schemas } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { type Ended, type Entry, isRequest, type Live, newsIn, type Observed, wallOf } from "./observed.ts";
import { listens } from "./receiver-port.ts";
import type { RunEnvironment, Running } from "./run-environment.ts";
import type { WatchedRun } from "./watched-run.ts";

/** One that polls without rest: for so long it has done nothing but read again what it had read. */
const STEADY_MS = 30_000;
/** A program with a receiver that has not called for so long has come to rest. */
const REST_MS = 8000;
/** Where it is known to serve, and has made the calls of the control run. */
const SHORT_REST_MS = 500;

interface Receiving {
  watched: WatchedRun;
  /** Where somebody else has subscribed the program's receiver. */
  webhookUrl: string | undefined;
  /** What the drill does beside the program. */
  driving: Promise<void> | undefined;
}

/**
 * Resolves when the program has ended, by itself or because it was stopped. `control`: the run without a drill, once
 * there is one.
 */
export async function endOf(
  running: Running,
  receiving: Receiving,
  environment: RunEnvironment,
  control?: Observed,
): Promise<Ended> {
  const { watched, driving } = receiving;
  const until = performance.now() + environment.limitMs;
  let ended: Ended | undefined;
  void running.ended.then((end) => (ended = end));
  for (; ended === undefined; await Promise.race([running.ended, pause(STEP_MS)])) {
    const tooLong = performance.now() > until;
    if (!tooLong && !(await rests(receiving, environment, control))) continue;
    // Only a program that has come to rest gets the rest of the story; one that hangs is stopped.
    if (!tooLong) {
      await hostStory(watched);
      await Promise.race([driving, pause(LONGEST_DRIVE_MS)]);
      await settled(watched);
    }
    running.stop();
    const { output } = await running.ended;
    return { code: undefined, stopped: tooLong ? "too-long" : "served", output };
  }
  return ended;
}

/**
 * Whether the program now waits for the host: it has a receiver and has not called for a while, or it polls, and for a while has only
 * read again what it had read.
 */
async function rests(
  { watched, webhookUrl }: Receiving,
  { serves }: RunEnvironment,
  control?: Observed,
): Promise<boolean> {
  // A program that ends by itself is waited for.
  if (serves === false) return false;
  const entries = watched.entries();
  const news = newsIn(entries);
  // Once it has made the calls of the control run, a short rest is enough.
  const isAll = control !== undefined && news.filter(isRequest).length >= callsBeforeStory(control);
  const polls = entries.slice(entries.lastIndexOf(news.at(-1) as Entry));
  const [first, last] = [polls[0], polls.at(-1)];
  const polledFor = first && last && polls.length > FEWEST_POLLS ? wallOf(last) - wallOf(first) : 0;
  if (polledFor > (isAll ? SHORT_REST_MS : STEADY_MS)) return true;
  if (watched.quietFor() <= (isAll ? SHORT_REST_MS : REST_MS)) return false;
  // Without a receiver a silent program may just be slow.
  return webhookUrl === undefined ? isSubscribed(watched) : listens(webhookUrl);
}

/** Fewer are no polling, but a program that looks twice. */
const FEWEST_POLLS = 5;

/** Between two looks at the log. */
const STEP_MS = 50;
/** It may wait for a message that never comes. */
const LONGEST_DRIVE_MS = 5000;

async function isSubscribed({ controlIn, worlds }: WatchedRun): Promise<boolean> {
  const params = { path: { collection: "subscriptions" as const }, query: { where: ["state=ENABLED"] } };
  for (const world of worlds()) {
    // A world may be removed at any time.
    const { data } = await controlIn(world).GET("/_sandbox/records/{collection}", { params });
    if (data && data.items.length > 0) return true;
  }
  return false;
}

/** The host's story begins with its first act. */
function callsBeforeStory({ entries }: Observed): number {
  const story = entries.findIndex(({ kind }) => kind === "act");
  return newsIn(entries.slice(0, story < 0 ? undefined : story)).filter(isRequest).length;
}

// What a host does while a program serves: books, changes, cancels, one after the other, each time until the deliveries have settled.
// The same in the control run and in every drill.

type Kind = Schemas["Kind"];

const STORY: readonly Kind[] = [
  "v1.booking.created",
  "v1.booking.updated",
  "v1.booking.cancelled",
  "v1.event.created",
  "v1.event.updated",
];

/** Time for the calls that follow a message. */
const SETTLE_MS = 300;
const LONGEST_MS = 3000;

async function hostStory(live: Live & { quietFor(): number }): Promise<void> {
  for (const kind of STORY) {
    for (const world of live.worlds()) {
      const { response, error } = await live.controlIn(world).POST("/_sandbox/trigger", { body: { kind } });
      const isGone = response.status === 404;
      if (!response.ok && !isGone) throw new SandboxError(response.status, error?.code, error?.message ?? "");
    }
    await settled(live);
  }
}

async function settled(live: Live & { quietFor(): number }): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  do await pause(SETTLE_MS / 3);
  while (live.quietFor() < SETTLE_MS && performance.now() < until);
}
