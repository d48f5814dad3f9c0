// One run: a fresh world, its faults, the program, the drill beside it, and what was seen. A program that serves does not end by itself:
// when it has come to rest the host does what hosts do, and then the program is stopped.
import { setTimeout as pause } from "node:timers/promises";
import { dataOf } from "../client/control.ts";
import type { Drill } from "./check.ts";
import type { Connection } from "./connection.ts";
import type { Service } from "./description.ts";
import { hostStory, settled } from "./host-story.ts";
import { type Ended, isRequest, type Observed } from "./observed.ts";
import { observedIn } from "./observed-run.ts";
import type { Place, PlaceOptions } from "./place.ts";
import { freePort, listens } from "./receiver-port.ts";
import { type WatchedRun, watchRun } from "./watched-run.ts";

export interface Running {
  ended: Promise<Ended>;
  stop(): void;
}

/** Starts the program in the environment that `sandbox exec` gives, with some more variables. */
export type Launch = (connection: Connection, more: Readonly<Record<string, string>>) => Running;

export interface Stage {
  /** A fresh one; its world is called after the run. */
  open(options: Pick<PlaceOptions, "webhookUrl"> & { name?: string }): Promise<Place>;
  service: Service;
  launch: Launch;
  /** Where the program's receiver will listen; `{port}` is a free port, which the program finds in PORT. */
  webhookUrl?: string | undefined;
  /** The longest that a run may take. */
  limitMs: number;
  /** Known after the first run: the program does not end by itself. */
  serves?: boolean;
  /** Asks the program, at the end of a run, for its own state. */
  probe?: ((connection: Connection) => Promise<unknown>) | undefined;
}

export interface Plan {
  /** Such as retry-01. */
  name: string;
  drill?: Drill;
  /** The control run that it is held against. */
  control?: Observed;
}

export async function runOnce(stage: Stage, { name, drill, control }: Plan): Promise<Observed> {
  const started = performance.now();
  const port = stage.webhookUrl?.includes("{port}") ? await freePort() : undefined;
  const webhookUrl = stage.webhookUrl?.replaceAll("{port}", String(port));
  const place = await stage.open({ webhookUrl, name });
  try {
    const { webhook_secret } = place.connection;
    const more = {
      ...(port === undefined ? {} : { PORT: String(port) }),
      ...(webhook_secret === null ? {} : { SANDBOX_WEBHOOK_SECRETS: webhook_secret }),
      ...(await drill?.before?.(place)),
    };
    const faults = drill?.faults ?? [];
    if (faults.length > 0) await dataOf(place.control.PUT("/_sandbox/faults", { body: { faults: [...faults] } }));
    const watched = watchRun(place, drill?.drive ? FAST_MS : SLOW_MS);
    const running = stage.launch(place.connection, more);
    const driving = drill?.drive?.(watched);
    const ended = await endOf(running, { watched, webhookUrl, driving }, stage, control);
    const probe = await stage.probe?.(place.connection);
    const entries = await watched.end();
    await driving;
    const seen = await observedIn(place, entries);
    const armed = faults.length > 0 ? (await dataOf(place.control.GET("/_sandbox/faults"))).faults : [];
    return {
      ...seen,
      world: place.world,
      armed,
      service: stage.service,
      connection: place.connection,
      probe,
      ended,
      took_ms: performance.now() - started,
    };
  } finally {
    await place.close();
  }
}

const FAST_MS = 20;
const SLOW_MS = 200;
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

async function endOf(running: Running, receiving: Receiving, stage: Stage, control?: Observed): Promise<Ended> {
  const { watched, driving } = receiving;
  const until = performance.now() + stage.limitMs;
  let ended: Ended | undefined;
  void running.ended.then((end) => (ended = end));
  for (; ended === undefined; await Promise.race([running.ended, pause(STEP_MS)])) {
    const tooLong = performance.now() > until;
    if (!tooLong && !(await rests(receiving, stage, control))) continue;
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

/** Whether the program now waits for the host: it has a receiver, and has not called for a while. */
async function rests({ watched, webhookUrl }: Receiving, { serves }: Stage, control?: Observed): Promise<boolean> {
  if (serves === false || watched.quietFor() < SHORT_REST_MS) return false;
  const asked = watched.entries().filter(isRequest).length;
  const enough = control && asked >= callsBeforeStory(control) ? SHORT_REST_MS : REST_MS;
  if (watched.quietFor() <= enough) return false;
  return webhookUrl === undefined ? isSubscribed(watched) : listens(webhookUrl);
}

const STEP_MS = 50;
/** It may wait for a message that never comes. */
const LONGEST_DRIVE_MS = 5000;

async function isSubscribed({ control }: WatchedRun): Promise<boolean> {
  const params = { path: { collection: "subscriptions" as const }, query: { where: ["state=ENABLED"] } };
  const { items } = await dataOf(control.GET("/_sandbox/records/{collection}", { params }));
  return items.length > 0;
}

/** The host's story begins with its first act. */
function callsBeforeStory({ entries }: Observed): number {
  const story = entries.findIndex(({ kind }) => kind === "act");
  return entries.slice(0, story < 0 ? undefined : story).filter(isRequest).length;
}
