// Soak: simulates a month of bookings and failures in a minute, then compares the state of the program with the sandbox's records.
// The plan follows from the seed and spec/soak.yaml. Each act chooses among the records that exist then.
//   plan.ts, business.ts    what happens when, and with which records
//   run-plan.ts             performs it on the world's clock
//   compare.ts              how the program's state differs from the sandbox's records
//   explain-difference.ts   what should have informed the program of a record
import { setTimeout as pause } from "node:timers/promises";
import { unwrap } from "../../client/control.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { isDelivery, isRequest } from "../observed.ts";
import { checkCalls, type NoVerdict, toNoVerdict } from "../program.ts";
import { isListening, reserveReceiver } from "../watch-run.ts";
import { prepareRuns, type RunContext, rotateSecret, type SandboxDescription } from "../worlds.ts";
import { compareState, parseState, readTruth } from "./compare.ts";
import { explainDifference, type FoundDifference } from "./explain-difference.ts";
import { createPlan, DAY, drawOverlap } from "./plan.ts";
import type { Soak, SoakOutcome } from "./report.ts";
import { LOG_INTERVAL_MS, LONG_LIFE_FAULT, type SoakOptions, SoakRun } from "./run-plan.ts";

export type { Scope } from "./compare.ts";
export { ROWS } from "./plan.ts";
export { reportSoak, type Soak } from "./report.ts";
export type { SoakOptions, SoakProgress } from "./run-plan.ts";

/** Thirty days take at most a minute, without the time that acts take. */
const ALL_DAYS_MS = 60_000;
/** The days of a short soak may take longer, up to this. */
const MAX_DAY_MS = 2000;
const MAX_DELIVERY_ROUNDS = 40;
/** How long the program may take at the end to reach the right state: the longer of the two. */
const [GRACE_DAYS, GRACE_MS] = [2, 5000];

/** Runs the program through a soak. Never rejects because of the program: `no_verdict` gives the reason why nothing was compared. */
export async function soak(options: SoakOptions): Promise<Soak> {
  const { environment, about } = await prepareRuns({ ...options, limitMs: ALL_DAYS_MS + options.patienceMs });
  const { webhookUrl, variables } = await reserveReceiver(options.webhookUrl);
  const context = await environment.open({ webhookUrl, name: "soak" });
  try {
    const began = performance.now();
    const run = await createRun(context, { ...options, webhookUrl }, variables);
    try {
      const outcome = { ...NOTHING_COMPARED, ...(await performAndCompare(run)), ...run.performed };
      if (outcome.differences.length > 0) await options.onDifference?.(context);
      return { ...outcome, ...summarize(run, about, outcome), took_ms: performance.now() - began };
    } finally {
      await run.program.stop();
      await run.watched.end();
    }
  } finally {
    await context.close();
  }
}

const NOTHING_COMPARED = { compared: {}, not_compared: [], differences: [], no_verdict: null };

async function createRun(context: RunContext, options: SoakOptions, port: Readonly<Record<string, string>>) {
  const { dayMs = Math.min(MAX_DAY_MS, ALL_DAYS_MS / options.days) } = options;
  const { now } = await unwrap(context.control.GET("/_sandbox/clock"));
  const steps = createPlan(options).filter(({ number }) => options.steps?.includes(number) ?? true);
  // A soak of some steps ends on the day of the last one.
  const days = options.steps ? Math.ceil(((steps.at(-1)?.at ?? 0) + 1) / DAY) : options.days;
  const { webhook_secret } = context.connection;
  const isRotated = steps.some(({ row }) => row === "rotated-secret");
  const variables = {
    ...port,
    // The program knows the next secret in advance, as if an operator had configured it.
    ...(webhook_secret !== null && isRotated && (await rotateSecret(context, drawOverlap(options)))),
    ...(webhook_secret !== null && !isRotated && { SANDBOX_WEBHOOK_SECRETS: webhook_secret }),
    SANDBOX_DAY_MS: String(Math.ceil(dayMs)),
    SANDBOX_RUN_FOLDER: options.freshFolder(),
  };
  return new SoakRun(options, context, { steps, began: Date.parse(now), days, dayMs, variables });
}

async function performAndCompare(run: SoakRun): Promise<Partial<SoakOutcome>> {
  const { context, watched, program, plan } = run;
  const { report = () => {} } = run.options;
  await armLongLifeFault(context);
  program.start();
  const never = await waitForFirstCall(run);
  if (never) return { no_verdict: never };
  const wrong = await run.perform(async (day) => {
    report({ what: "day", day, days: plan.days, calls: watched.entries().filter(isRequest).length });
    // A probe that fails on the first day also fails at the end, so the soak ends early.
    return day === 1 ? readState(run).then(() => undefined, toProbeFailure) : undefined;
  });
  if (wrong || run.isOver()) return { no_verdict: wrong ?? explainEnd(run) };
  report({ what: "calm" });
  await settleDeliveries(run);
  return compareUntilAlike(run);
}

const armLongLifeFault = ({ control }: RunContext) =>
  unwrap(control.PUT("/_sandbox/faults", { body: { faults: [LONG_LIFE_FAULT] } }));

/** Returns undefined as soon as the program has sent a request, or its receiver is listening. */
async function waitForFirstCall(run: SoakRun): Promise<NoVerdict | undefined> {
  const { watched, program, context } = run;
  const { patienceMs, webhookUrl } = run.options;
  const until = performance.now() + patienceMs;
  while (performance.now() < until && !run.isOver()) {
    if (watched.entries().some(isRequest)) break;
    if (webhookUrl !== undefined && (await isListening(webhookUrl))) return undefined;
    await pause(LOG_INTERVAL_MS);
  }
  if (run.isOver()) return explainEnd(run);
  await run.waitForRest(MAX_DAY_MS);
  const requests = watched.entries().filter(isRequest);
  return checkCalls({ requests, deliveries: [], connection: context.connection, output: program.output });
}

function explainEnd({ program: { crash }, context, plan, performed }: SoakRun): NoVerdict {
  const [day, days] = [performed.done_days + 1, plan.days];
  const lost = context.relay?.getLoss();
  if (lost) return toNoVerdict(lost);
  if (!crash)
    return { code: "STOPPED", says: `The soak was stopped on day ${day} of ${days}, so nothing was compared.` };
  if (crash.notStarted !== undefined) return { code: "NOT_STARTED", says: crash.notStarted };
  const says = `The program ended by itself on day ${day} of ${days}, with exit code ${crash.code ?? "none"}. A soak needs a program that runs until it is stopped.`;
  return { code: "DIED", says, output: crash.output };
}

const toProbeFailure = (reason: unknown): NoVerdict => {
  if (reason instanceof Error) return { code: "PROBE", says: reason.message };
  throw reason;
};

const readState = async ({ options, context, plan }: SoakRun) =>
  parseState(await options.probe(context.connection, plan.variables));

/** Disarms all faults, and advances the clock until every pending delivery has been retried. */
async function settleDeliveries(run: SoakRun): Promise<void> {
  const { control } = run.context;
  await control.DELETE("/_sandbox/faults");
  await armLongLifeFault(run.context);
  run.program.start();
  await run.waitForRest();
  for (let round = 0; round < MAX_DELIVERY_ROUNDS && !run.isOver(); round++) {
    const { items } = await unwrap(control.GET("/_sandbox/clock/due", { params: { query: { limit: 500 } } }));
    // The clock advances to the latest delivery, so that one request retries all of them.
    const last = items.findLast(({ what }) => what === "delivery");
    if (!last) break;
    const { now } = await unwrap(control.GET("/_sandbox/clock"));
    if (last.at > now) await unwrap(control.POST("/_sandbox/clock/advance", { body: { until: last.at } }));
    await run.waitForRest();
  }
}

/** Repeats the comparison until there is no difference or the time is over. */
async function compareUntilAlike(run: SoakRun): Promise<Partial<SoakOutcome>> {
  const { context, watched, options, plan } = run;
  const until = performance.now() + Math.max(GRACE_DAYS * plan.dayMs, options.graceMs ?? GRACE_MS);
  for (;;) {
    await run.waitForRest();
    const isLast = performance.now() >= until;
    const state = await readState(run).catch(toProbeFailure);
    if (run.isOver()) return { no_verdict: explainEnd(run) };
    if (isFailure(state)) return { no_verdict: state };
    const truth = await readTruth(context.control, Object.keys(state));
    const entries = watched.entries();
    const { differences, ignored } = compareState(state, truth, { scope: options.scope, entries });
    if (differences.length > 0 && !isLast) continue;
    const explained: FoundDifference[] = [];
    for (const each of differences)
      explained.push({ ...(await explainDifference(each, entries, context)), why: formatWhyCommand(each.id, run) });
    return {
      compared: Object.fromEntries(Object.entries(state).map(([kind, printed]) => [kind, printed.length])),
      not_compared: ignored,
      differences: explained,
    };
  }
}

/** No kind of record is named `code`. */
const isFailure = (state: object): state is NoVerdict => "code" in state;

function formatWhyCommand(id: string, { options, context }: SoakRun): string {
  const { server } = options;
  return toCommand(["sandbox", "why", id, ...(server ? ["--url", server.url, "--world", context.world] : [])]);
}

function summarize({ options, watched, plan }: SoakRun, sandbox: SandboxDescription, outcome: SoakOutcome) {
  const { command, seed, days, rate, scope, given = [] } = options;
  const part = options.steps ? ["--only", options.steps.join(",")] : [];
  const repeat = ["--days", String(days), "--seed", seed, ...given, ...part];
  const entries = watched.entries();
  const faults = entries.flatMap((entry) => (isRequest(entry) || isDelivery(entry) ? entry.faults : []));
  const weather: Record<string, number> = {};
  for (const { name } of faults) if (name !== LONG_LIFE_FAULT.name) weather[name] = (weather[name] ?? 0) + 1;
  return {
    version: 1 as const,
    command,
    seed,
    days,
    rate,
    scope,
    sandbox,
    weather,
    begins: new Date(plan.began).toISOString(),
    steps: plan.steps.map(({ number }) => number),
    calls: entries.filter(isRequest).length,
    deliveries: entries.filter(isDelivery).length,
    again: toCommand(["sandbox", "check", "soak", ...repeat, "--", ...command]),
    at: new Date(performance.timeOrigin + performance.now()).toISOString(),
    exit_code: outcome.no_verdict ? 3 : outcome.differences.length > 0 ? 1 : 0,
  };
}
