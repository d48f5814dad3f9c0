// Performs one run: opens a world, arms faults, starts the program and the drill, and collects the observations.
import { type Control, type Schemas, unwrap } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import type { Drill } from "./check.ts";
import * as log from "./observed.ts";
import { reserveReceiver, waitForEnd, watchRun } from "./watch-run.ts";
import { type RunContext, type RunEnvironment, readRecords } from "./worlds.ts";

export interface Plan {
  /** The name of the run, such as retry-01. */
  name: string;
  drill?: Drill;
  /** The control run with which a drill is compared. */
  control?: log.Observed;
}

/** The program may delete what a drill needs, such as its subscription. The check is not exercised then. */
function ignoreMissing(reason: unknown): void {
  if (!(reason instanceof SandboxError && [404, 409].includes(reason.status))) throw reason;
}

/** The intervals between reads of the log, with and without an active drill. */
const [FAST_MS, SLOW_MS] = [20, 200];

/** Rejects only if the sandbox can't be used. The world is deleted afterwards, unless it is kept. */
export async function runOnce(environment: RunEnvironment, { name, drill, control }: Plan): Promise<log.Observed> {
  const started = performance.now();
  const { webhookUrl, variables } = await reserveReceiver(environment.webhookUrl);
  const context = await environment.open({ webhookUrl, name });
  try {
    const { webhook_secret } = context.connection;
    const more = {
      ...variables,
      ...(environment.freshFolder ? { SANDBOX_RUN_FOLDER: environment.freshFolder() } : {}),
      SANDBOX_RUN: context.world,
      ...(webhook_secret === null ? {} : { SANDBOX_WEBHOOK_SECRETS: webhook_secret }),
      // The drill is last, because it may replace a variable.
      ...(await drill?.before?.(context)),
    };
    const faults = drill?.faults ?? [];
    if (faults.length > 0) await unwrap(context.control.PUT("/_sandbox/faults", { body: { faults: [...faults] } }));
    // The acts of the drill come first, so that worlds of the program get the same records.
    await unwrap(context.control.PUT("/_sandbox/mark", { body: { name: null, run: true } }));
    // The log is watched before the program starts, so that its first request is seen.
    const watched = watchRun(context, drill?.drive ? FAST_MS : SLOW_MS, true);
    const running = environment.launch(context.connection, more);
    const driving = drill?.drive?.(watched).catch(ignoreMissing);
    // The error is thrown below, where the drill is awaited.
    driving?.catch(() => undefined);
    const receiving = { watched, webhookUrl, driving };
    const ended = await waitForEnd(running, receiving, environment, control).catch(async (reason) => {
      // A kept world would otherwise be watched forever, and the program would outlive the verdict.
      running.stop();
      await Promise.allSettled([running.ended, watched.end()]);
      throw reason;
    });
    const probed = await environment.probe?.(context.connection, more).then(
      (probe) => ({ probe }),
      // A failing probe in a drill is a consequence of the injected failure.
      (reason: Error) => ({ probe: reason.message, probeFailed: reason.message }),
    );
    const entries = await watched.end();
    await driving;
    const lost = context.relay?.getLoss();
    // Later observations are incomplete, so they can't be judged.
    if (lost) throw lost;
    const seen = await readRunRecords(context, entries);
    const armed = faults.length > 0 ? (await unwrap(context.control.GET("/_sandbox/faults"))).faults : [];
    return {
      ...seen,
      world: context.world,
      armed,
      service: environment.service,
      connection: context.connection,
      probe: undefined,
      ...probed,
      ended,
      took_ms: performance.now() - started,
    };
  } finally {
    await context.close();
  }
}

type WorldRecords = Pick<log.Observed, "messages" | "subscriptions" | "bookings">;

/** The limit of one page. More messages are no reasonable test of a program. */
const MAX_MESSAGES = 1000;

async function readRunRecords({ getControl, world }: RunContext, entries: readonly log.Entry[]) {
  const requests = entries.filter(log.isRequest);
  const parts = entries.flatMap(readRemovedWorld);
  for (const id of log.listWorlds(entries, world)) {
    const part = await readWorld(getControl(id), id, requests).catch((reason) => {
      // The log has no entry yet for a world that was just deleted.
      if (id === world || !(reason instanceof SandboxError && reason.status === 404)) throw reason;
    });
    if (part) parts.push(part);
  }
  return {
    entries,
    requests,
    deliveries: entries.filter(log.isDelivery),
    messages: parts.flatMap(({ messages }) => messages),
    subscriptions: parts.flatMap(({ subscriptions }) => subscriptions),
    bookings: parts.flatMap(({ bookings }) => bookings),
  };
}

/** The log contains the records of a world that the program has deleted. */
function readRemovedWorld(entry: log.Entry): WorldRecords[] {
  const left = entry.kind === "world" && entry.detail.left;
  return left ? [{ ...left, bookings: left.bookings.map((each) => toBooking(each, entry.world)) }] : [];
}

async function readWorld(
  control: Control,
  world: string,
  requests: readonly log.RequestEntry[],
): Promise<WorldRecords> {
  const { items } = await unwrap(control.GET("/_sandbox/messages", { params: { query: { limit: MAX_MESSAGES } } }));
  // Bookings of the host are not the program's.
  const facts = requests.flatMap((each) => (each.world === world ? each.facts : []));
  const bookings: log.Booking[] = [];
  for (const id of new Set(facts.flatMap(({ fact, id }) => (fact === "booking.created" ? [id] : [])))) {
    const params = { path: { collection: "bookings" as const, id } };
    const { data } = await control.GET("/_sandbox/records/{collection}/{id}", { params });
    // A booking that no longer exists is left out.
    if (data) bookings.push(toBooking(data, world));
  }
  return { messages: items, subscriptions: await readRecords(control, "subscriptions"), bookings };
}

type RecordView = Pick<Schemas["RecordShown"], "record" | "references">;

function toBooking({ record, references }: RecordView, world: string): log.Booking {
  const order = references.find(({ collection }) => collection === "orders")?.title;
  return { ...(record as unknown as log.Booking), world, order };
}
