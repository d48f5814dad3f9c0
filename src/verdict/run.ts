// One run: a fresh world, its faults, the program, the drill beside it, and what was seen.
import { unwrap } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import type { Drill } from "./check.ts";
import { endOf } from "./end-of-run.ts";
import type { Observed } from "./observed.ts";
import { freePort } from "./receiver-port.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { seenIn } from "./seen-in.ts";
import { watchRun } from "./watched-run.ts";

export interface Plan {
  /** Such as retry-01. */
  name: string;
  drill?: Drill;
  /** The control run that it is held against. */
  control?: Observed;
}

/** The program may remove what a drill needs, such as its subscription. Then the check is not exercised. */
function ignoreMissing(reason: unknown): void {
  if (!(reason instanceof SandboxError && [404, 409].includes(reason.status))) throw reason;
}

/** How often the log is read: beside a drill, and otherwise. */
const [FAST_MS, SLOW_MS] = [20, 200];

/** Rejects only where the sandbox can't be used. The world is gone afterwards, unless it is kept. */
export async function runOnce(environment: RunEnvironment, { name, drill, control }: Plan): Promise<Observed> {
  const started = performance.now();
  const port = environment.webhookUrl?.includes("{port}") ? await freePort() : undefined;
  const webhookUrl = environment.webhookUrl?.replaceAll("{port}", String(port));
  const context = await environment.open({ webhookUrl, name });
  try {
    const { webhook_secret } = context.connection;
    const more = {
      ...(port === undefined ? {} : { PORT: String(port) }),
      ...(environment.freshFolder ? { SANDBOX_RUN_FOLDER: environment.freshFolder() } : {}),
      SANDBOX_RUN: context.world,
      ...(webhook_secret === null ? {} : { SANDBOX_WEBHOOK_SECRETS: webhook_secret }),
      // Last, so that a drill may replace a variable.
      ...(await drill?.before?.(context)),
    };
    const faults = drill?.faults ?? [];
    if (faults.length > 0) await unwrap(context.control.PUT("/_sandbox/faults", { body: { faults: [...faults] } }));
    // After the acts of the drill: the worlds that the program creates get what was done before.
    await unwrap(context.control.PUT("/_sandbox/mark", { body: { name: null, run: true } }));
    // Before the program starts, so that its first call is seen.
    const watched = watchRun(context, drill?.drive ? FAST_MS : SLOW_MS, true);
    const running = environment.launch(context.connection, more);
    const driving = drill?.drive?.(watched).catch(ignoreMissing);
    // A failure is thrown where the drill is awaited.
    driving?.catch(() => undefined);
    const ended = await endOf(running, { watched, webhookUrl, driving }, environment, control);
    const probed = await environment.probe?.(context.connection, more).then(
      (probe) => ({ probe }),
      // In a drill it is one more consequence.
      (reason: Error) => ({ probe: reason.message, probeFailed: reason.message }),
    );
    const entries = await watched.end();
    await driving;
    const lost = context.relay?.getLoss();
    // What was seen after that is incomplete, and must not be judged.
    if (lost) throw lost;
    const seen = await seenIn(context, entries);
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
