// Performs one run: opens a world, arms faults, starts the program and the drill, and collects the observations.
import { unwrap } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import type { Drill } from "./check.ts";
import { waitForEnd } from "./end-of-run.ts";
import type { Observed } from "./observed.ts";
import { reserveReceiver } from "./receiver-port.ts";
import type { RunEnvironment } from "./run-environment.ts";
import { readRunRecords } from "./run-records.ts";
import { watchRun } from "./watch-run.ts";

export interface Plan {
  /** The name of the run, such as retry-01. */
  name: string;
  drill?: Drill;
  /** The control run with which a drill is compared. */
  control?: Observed;
}

/** The program may delete what a drill needs, such as its subscription. The check is not exercised then. */
function ignoreMissing(reason: unknown): void {
  if (!(reason instanceof SandboxError && [404, 409].includes(reason.status))) throw reason;
}

/** The intervals between reads of the log, with and without an active drill. */
const [FAST_MS, SLOW_MS] = [20, 200];

/** Rejects only if the sandbox can't be used. The world is deleted afterwards, unless it is kept. */
export async function runOnce(environment: RunEnvironment, { name, drill, control }: Plan): Promise<Observed> {
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
    const ended = await waitForEnd(running, { watched, webhookUrl, driving }, environment, control);
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
