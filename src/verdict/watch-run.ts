// Watches a run through the log, and decides when it ends. A program that serves does not end by itself, so once it is at rest the host
// performs some acts, and then the program is stopped.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Schemas } from "../client/control.ts";
import { excludeByHand, readLogAfter } from "../client/log-after.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { unwrapHost } from "../platform/unbracketed.ts";
import {
  type Entry,
  isRequest,
  type Live,
  listWorlds,
  type Observed,
  omitRepeatedReads,
  toWallMs,
} from "./observed.ts";
import type { ProgramEnd, RunContext, RunEnvironment, Running } from "./worlds.ts";

/** A receiver that the program did not subscribe itself may still be starting. */
export async function isListening(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({ host: unwrapHost(hostname), port: Number(port || (protocol === "https:" ? 443 : 80)) });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    // The connection closes without a request, so that the receiver handles nothing.
    socket.destroy();
  }
}

/** Replaces `{port}` in the address by a free port, which the program reads from the variable PORT. */
export async function reserveReceiver(webhookUrl: string | undefined) {
  if (!webhookUrl?.includes("{port}")) return { webhookUrl, variables: {} };
  const port = await findFreePort();
  return { webhookUrl: webhookUrl.replaceAll("{port}", port), variables: { PORT: port } };
}

/** Another process may use the port before the program does. */
async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return String(port);
}

export interface WatchedRun extends Live {
  /** Real milliseconds since the last entry or the start. */
  quietFor(): number;
  /** Reads the remaining entries, and stops. */
  end(): Promise<readonly Entry[]>;
}

/**
 * Starts reading immediately. Callers must call `end`, or it reads forever. `run`: include the worlds that the program
 * creates.
 */
export function watchRun({ control, getControl, world }: RunContext, everyMs: number, run = false): WatchedRun {
  const entries: Entry[] = [];
  let last = 0;
  let changedAt = performance.now();
  let isRunning = true;
  const read = async () => {
    const { items } = await readLogAfter(control, last, { run });
    last = items.at(-1)?.seq ?? last;
    const added = excludeByHand(items);
    entries.push(...added);
    if (added.length > 0) changedAt = performance.now();
  };
  const reading = (async () => {
    while (isRunning) {
      await read();
      await pause(everyMs);
    }
  })();
  // The error is thrown by `end`, which awaits the loop.
  reading.catch(() => undefined);
  const next = async (fits: (entry: Entry) => boolean) => {
    for (;;) {
      const found = entries.find(fits);
      if (found || !isRunning) return found;
      await pause(everyMs);
    }
  };
  return {
    control,
    getControl,
    worlds: () => listWorlds(entries, world),
    entries: () => entries,
    next: next as Live["next"],
    quietFor: () => performance.now() - changedAt,
    async end() {
      isRunning = false;
      // The last read may have missed newer entries, so the log is read again.
      await reading;
      await read();
      return entries;
    },
  };
}

/** A program that polls is at rest when it has only repeated earlier reads for this long. */
const POLLING_REST_MS = 30_000;
/** A program with a receiver is at rest when it has sent no request for this long. */
const REST_MS = 8000;
/** A shorter rest is enough for a program that serves and has sent the requests of the control run. */
const SHORT_REST_MS = 500;

interface RunInProgress {
  watched: WatchedRun;
  /** Set if the program did not subscribe its receiver itself. */
  webhookUrl: string | undefined;
  /** The work of the drill while the program runs. */
  driving: Promise<void> | undefined;
}

/** Resolves when the program has ended by itself or was stopped. `control` is undefined in the first control run. */
export async function waitForEnd(
  running: Running,
  receiving: RunInProgress,
  environment: RunEnvironment,
  control?: Observed,
): Promise<ProgramEnd> {
  const { watched, driving } = receiving;
  const until = performance.now() + environment.limitMs;
  let ended: ProgramEnd | undefined;
  void running.ended.then((end) => (ended = end));
  for (; ended === undefined; await Promise.race([running.ended, pause(STEP_MS)])) {
    const tooLong = performance.now() > until;
    if (!tooLong && !(await hasComeToRest(receiving, environment, control))) continue;
    // The host acts only if the program is at rest. A program that hangs is stopped.
    if (!tooLong) {
      await performHostActs(watched);
      await Promise.race([driving, pause(MAX_DRIVE_MS)]);
      await waitUntilSettled(watched);
    }
    running.stop();
    const { output } = await running.ended;
    return { code: undefined, stopped: tooLong ? "too-long" : "served", output };
  }
  return ended;
}

/** The program waits for the host if it has a receiver and is silent, or if it polls and only repeats earlier reads. */
async function hasComeToRest(
  { watched, webhookUrl }: RunInProgress,
  { serves }: RunEnvironment,
  control?: Observed,
): Promise<boolean> {
  // A program that ends by itself is not stopped.
  if (serves === false) return false;
  const entries = watched.entries();
  const news = omitRepeatedReads(entries);
  // A short rest is enough after all requests of the control run.
  const isAll = control !== undefined && news.filter(isRequest).length >= countCallsBeforeActs(control);
  const polls = entries.slice(entries.lastIndexOf(news.at(-1) as Entry));
  const [first, last] = [polls[0], polls.at(-1)];
  const pollingMs = first && last && polls.length > MIN_POLLS ? toWallMs(last) - toWallMs(first) : 0;
  if (pollingMs > (isAll ? SHORT_REST_MS : POLLING_REST_MS)) return true;
  if (watched.quietFor() <= (isAll ? SHORT_REST_MS : REST_MS)) return false;
  // A silent program without a receiver may just be slow.
  return webhookUrl === undefined ? isSubscribed(watched) : isListening(webhookUrl);
}

/** Fewer repeated reads don't count as polling. */
const MIN_POLLS = 5;

const STEP_MS = 50;
/** The drill may wait for a message that never arrives. */
const MAX_DRIVE_MS = 5000;

async function isSubscribed({ getControl, worlds }: WatchedRun): Promise<boolean> {
  const params = { path: { collection: "subscriptions" as const }, query: { where: ["state=ENABLED"] } };
  for (const world of worlds()) {
    // The program may delete a world at any time.
    const { data } = await getControl(world).GET("/_sandbox/records/{collection}", { params });
    if (data && data.items.length > 0) return true;
  }
  return false;
}

function countCallsBeforeActs({ entries }: Observed): number {
  const firstAct = entries.findIndex(({ kind }) => kind === "act");
  return omitRepeatedReads(entries.slice(0, firstAct < 0 ? undefined : firstAct)).filter(isRequest).length;
}

// The host books, changes and cancels, and waits each time until all deliveries are settled. The acts are the same in
// the control run and in every drill.

const HOST_ACTS: readonly Schemas["Kind"][] = [
  "v1.booking.created",
  "v1.booking.updated",
  "v1.booking.cancelled",
  "v1.event.created",
  "v1.event.updated",
];

/** Time for the requests that follow a message. */
const SETTLE_MS = 300;
const MAX_SETTLE_MS = 3000;

async function performHostActs(live: WatchedRun): Promise<void> {
  for (const kind of HOST_ACTS) {
    for (const world of live.worlds()) {
      const { response, error } = await live.getControl(world).POST("/_sandbox/trigger", { body: { kind } });
      const isGone = response.status === 404;
      if (!response.ok && !isGone) throw new SandboxError(response.status, error?.code, error?.message ?? "");
    }
    await waitUntilSettled(live);
  }
}

async function waitUntilSettled(live: WatchedRun): Promise<void> {
  const until = performance.now() + MAX_SETTLE_MS;
  do await pause(SETTLE_MS / 3);
  while (live.quietFor() < SETTLE_MS && performance.now() < until);
}
