// One run: a fresh world, its faults, the program, the drill beside it, and what was seen.
import { type Control, dataOf } from "../client/control.ts";
import type { Drill } from "./check.ts";
import { endOf } from "./end-of-run.ts";
import { type Booking, type Entry, isDelivery, isRequest, type Observed } from "./observed.ts";
import { freePort } from "./receiver-port.ts";
import type { RunContext } from "./run-context.ts";
import type { Stage } from "./stage.ts";
import { watchRun } from "./watched-run.ts";

interface Plan {
  /** Such as retry-01. */
  name: string;
  drill?: Drill;
  /** The control run that it is held against. */
  control?: Observed;
}

/** How often the log is read: beside a drill, and otherwise. */
const [FAST_MS, SLOW_MS] = [20, 200];

export async function runOnce(stage: Stage, { name, drill, control }: Plan): Promise<Observed> {
  const started = performance.now();
  const port = stage.webhookUrl?.includes("{port}") ? await freePort() : undefined;
  const webhookUrl = stage.webhookUrl?.replaceAll("{port}", String(port));
  const context = await stage.open({ webhookUrl, name });
  try {
    const { webhook_secret } = context.connection;
    const more = {
      ...(port === undefined ? {} : { PORT: String(port) }),
      ...(stage.freshFolder ? { SANDBOX_RUN_FOLDER: stage.freshFolder() } : {}),
      ...(webhook_secret === null ? {} : { SANDBOX_WEBHOOK_SECRETS: webhook_secret }),
      ...(await drill?.before?.(context)),
    };
    const faults = drill?.faults ?? [];
    if (faults.length > 0) await dataOf(context.control.PUT("/_sandbox/faults", { body: { faults: [...faults] } }));
    const watched = watchRun(context, drill?.drive ? FAST_MS : SLOW_MS);
    const running = stage.launch(context.connection, more);
    const driving = drill?.drive?.(watched);
    const ended = await endOf(running, { watched, webhookUrl, driving }, stage, control);
    const probed = await stage.probe?.(context.connection, more).then(
      (probe) => ({ probe }),
      // In a drill it is one more thing that came of it.
      (reason: Error) => ({ probe: reason.message, probeFailed: reason.message }),
    );
    const entries = await watched.end();
    await driving;
    const lost = context.relay?.lost();
    if (lost) throw lost;
    const seen = await observedIn(context, entries);
    const armed = faults.length > 0 ? (await dataOf(context.control.GET("/_sandbox/faults"))).faults : [];
    return {
      ...seen,
      world: context.world,
      armed,
      service: stage.service,
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

// Reads what a run has left in its world: the log in parts, the messages with their attempts, the bookings that the program made.

type Seen = Omit<Observed, "world" | "service" | "connection" | "armed" | "probe" | "ended" | "took_ms">;

const MOST = 1000;

async function observedIn({ control }: RunContext, entries: readonly Entry[]): Promise<Seen> {
  const requests = entries.filter(isRequest);
  const made = requests.flatMap(({ facts }) => facts.filter(({ fact }) => fact === "booking.created"));
  const [messages, subscriptions, bookings] = await Promise.all([
    dataOf(control.GET("/_sandbox/messages", { params: { query: { limit: MOST } } })),
    recordsOf(control),
    Promise.all([...new Set(made.map(({ id }) => id))].map((id) => bookingCalled(control, id))),
  ]);
  return {
    entries,
    requests,
    deliveries: entries.filter(isDelivery),
    messages: messages.items,
    subscriptions,
    bookings: bookings.filter((booking) => booking !== undefined),
  };
}

async function recordsOf(control: Control): Promise<Readonly<Record<string, unknown>>[]> {
  const params = { path: { collection: "subscriptions" as const } };
  return (await dataOf(control.GET("/_sandbox/records/{collection}", { params }))).items;
}

/** As it is kept; undefined where it is no more. */
async function bookingCalled(control: Control, id: string): Promise<Booking | undefined> {
  const params = { path: { collection: "bookings" as const, id } };
  const { data } = await control.GET("/_sandbox/records/{collection}/{id}", { params });
  return data?.record as Booking | undefined;
}
