// Soak: simulates a month of bookings and failures in a minute, then compares the state of the program with the sandbox's records.
// The plan follows from the seed and spec/soak.yaml. Each act chooses among the records that exist then.
//   plan.ts, business.ts    what happens when, and with which records
//   run-plan.ts             performs it on the world's clock
//   compare.ts              how the program's state differs from the sandbox's records
//   explain-difference.ts   what should have informed the program
import { setTimeout as pause } from "node:timers/promises";
import { unwrap } from "../../client/control.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { isDelivery, isRequest } from "../observed.ts";
import { type Launch, prepareRuns, type RunTarget, type SandboxDescription } from "../prepare.ts";
import { checkCalls, toNoVerdict } from "../program.ts";
import { isListening, reserveReceiver, watchRun } from "../watch-run.ts";
import { type Connection, type RunContext, rotateSecret } from "../worlds.ts";
import { compareState, parseState, readTruth, type Scope } from "./compare.ts";
import { explainDifference, type FoundDifference } from "./explain-difference.ts";
import { createPlan, DAY, drawOverlap, type Planning, type Step } from "./plan.ts";
import type { NoJudgement, Soak, SoakOutcome } from "./report.ts";
import { LONG_LIFE_FAULT, type PlanRun, Program, performPlan, waitForRest } from "./run-plan.ts";

export type { Scope } from "./compare.ts";
export { ROWS } from "./plan.ts";
export { reportSoak, type Soak } from "./report.ts";

export interface SoakOptions extends RunTarget, Planning {
  command: readonly string[];
  /** Options beside the seed that a command needs to repeat the soak. */
  given?: readonly string[];
  launch: Launch;
  webhookUrl?: string | undefined;
  probe(connection: Connection, more: Readonly<Record<string, string>>): Promise<unknown>;
  /** Creates an empty folder for the files of the program. */
  freshFolder(): string;
  scope: Scope;
  /** The steps of the plan to perform. Default: all. */
  steps?: readonly number[] | undefined;
  /** How long the program may stay busy per day, in real milliseconds. */
  dayMs?: number;
  /** How long the program may take at the end to reach the right state, at least, in milliseconds. */
  graceMs?: number;
  /** How long to wait for the first request of the program, in milliseconds. */
  patienceMs: number;
  /** The soak calls this often, and ends before the next step if it returns true. */
  isOver(): boolean;
  report?(progress: SoakProgress): void;
}

export type SoakProgress = { what: "day"; day: number; days: number; calls: number } | { what: "calm" };

/** Thirty days take at most a minute, without the time that acts take. */
const ALL_DAYS_MS = 60_000;
/** The days of a short soak may take longer, up to this. */
const MAX_DAY_MS = 2000;
const LOG_INTERVAL_MS = 20;
const MAX_DELIVERY_ROUNDS = 40;
/** How long the program may take at the end to reach the right state: the longer of the two. */
const [GRACE_DAYS, GRACE_MS] = [2, 5000];

/** Runs the program through a soak. Never rejects because of the program: `no_verdict` gives the reason why nothing was compared. */
export async function soak(options: SoakOptions): Promise<Soak> {
  const { start, seed, server, fixture, webhookEvents, keep, launch } = options;
  const target = { start, seed, server, fixture, webhookEvents, keep };
  const { environment, about } = await prepareRuns({ ...target, launch, limitMs: ALL_DAYS_MS + options.patienceMs });
  const { webhookUrl, variables } = await reserveReceiver(options.webhookUrl);
  const context = await environment.open({ webhookUrl, name: "soak" });
  try {
    const began = performance.now();
    const steps = createPlan(options).filter(({ number }) => options.steps?.includes(number) ?? true);
    const run = await createRun(context, options, { steps, variables, webhookUrl });
    try {
      const outcome = await performAndCompare(run);
      return { ...outcome, ...summarize(run, about, outcome), took_ms: performance.now() - began };
    } finally {
      await run.program.stop();
      await run.watched.end();
    }
  } finally {
    await context.close();
  }
}

interface Run extends PlanRun {
  options: SoakOptions;
  steps: readonly Step[];
  variables: Readonly<Record<string, string>>;
  webhookUrl: string | undefined;
}

async function createRun(
  context: RunContext,
  options: SoakOptions,
  { steps, webhookUrl, ...own }: Pick<Run, "steps" | "variables" | "webhookUrl">,
): Promise<Run> {
  const { seed, dayMs = Math.min(MAX_DAY_MS, ALL_DAYS_MS / options.days) } = options;
  const { now } = await unwrap(context.control.GET("/_sandbox/clock"));
  // A soak of some steps ends on the day of the last one.
  const days = options.steps ? Math.ceil(((steps.at(-1)?.at ?? 0) + 1) / DAY) : options.days;
  const { webhook_secret } = context.connection;
  const isRotated = steps.some(({ row }) => row === "rotated-secret");
  const variables = {
    ...own.variables,
    // The program knows the next secret in advance, as if an operator had configured it.
    ...(webhook_secret !== null && isRotated && (await rotateSecret(context, drawOverlap(options)))),
    ...(webhook_secret !== null && !isRotated && { SANDBOX_WEBHOOK_SECRETS: webhook_secret }),
    SANDBOX_DAY_MS: String(Math.ceil(dayMs)),
    SANDBOX_RUN_FOLDER: options.freshFolder(),
  };
  const program = new Program(() => options.launch(context.connection, variables));
  const isOver = () => options.isOver() || program.crash !== undefined || context.relay?.getLoss() !== undefined;
  const watched = watchRun(context, LOG_INTERVAL_MS);
  const timing = { began: Date.parse(now), days, dayMs, isOver };
  return { ...timing, seed, steps, webhookUrl, options, context, watched, program, variables };
}

async function performAndCompare(run: Run): Promise<SoakOutcome> {
  const { options, days, context, watched, program, steps } = run;
  const { report = () => {} } = options;
  const outcome: SoakOutcome = {
    business: {},
    refused: 0,
    restarts: 0,
    story: [],
    left_out: [],
    done_days: 0,
    compared: {},
    not_compared: [],
    differences: [],
    no_verdict: null,
  };
  await armLongLifeFault(context);
  program.start();
  const never = await waitForFirstCall(run);
  if (never) return { ...outcome, no_verdict: never };
  let wrong: NoJudgement | undefined;
  const isOver = () => run.isOver() || wrong !== undefined;
  const performed = await performPlan(steps, { ...run, isOver }, async (day) => {
    outcome.done_days = day;
    report({ what: "day", day, days, calls: watched.entries().filter(isRequest).length });
    // A probe that fails on the first day also fails at the end, so the soak ends early.
    if (day === 1) wrong = await readState(run).then(() => undefined, toProbeFailure);
  });
  if (steps.some(({ row }) => row === "rotated-secret") && context.connection.webhook_secret !== null)
    performed.left_out.unshift("Before the program starts, the secret of its subscription is rotated.");
  Object.assign(outcome, performed);
  if (isOver()) return { ...outcome, no_verdict: wrong ?? explainEnd(run, outcome.done_days) };
  report({ what: "calm" });
  await settleDeliveries(run);
  return { ...outcome, ...(await compareUntilAlike(run)) };
}

const armLongLifeFault = ({ control }: RunContext) =>
  unwrap(control.PUT("/_sandbox/faults", { body: { faults: [LONG_LIFE_FAULT] } }));

/** Returns undefined as soon as the program has sent a request, or its receiver is listening. */
async function waitForFirstCall(run: Run): Promise<NoJudgement | undefined> {
  const { options, watched, program, webhookUrl, context, isOver } = run;
  const until = performance.now() + options.patienceMs;
  while (performance.now() < until && !isOver()) {
    if (watched.entries().some(isRequest)) break;
    if (webhookUrl !== undefined && (await isListening(webhookUrl))) return undefined;
    await pause(LOG_INTERVAL_MS);
  }
  if (isOver()) return explainEnd(run, 0);
  await waitForRest({ watched, isOver }, MAX_DAY_MS);
  const requests = watched.entries().filter(isRequest);
  return checkCalls({ requests, deliveries: [], connection: context.connection, output: program.output });
}

function explainEnd({ program: { crash }, context, days }: Run, day: number): NoJudgement {
  const lost = context.relay?.getLoss();
  if (lost) return toNoVerdict(lost);
  if (!crash)
    return { code: "STOPPED", says: `The soak was stopped on day ${day + 1} of ${days}, so nothing was compared.` };
  if (crash.notStarted !== undefined) return { code: "NOT_STARTED", says: crash.notStarted };
  const says = `The program ended by itself on day ${day + 1} of ${days}, with exit code ${crash.code ?? "none"}. A soak needs a program that runs until it is stopped.`;
  return { code: "DIED", says, output: crash.output };
}

const toProbeFailure = (reason: unknown): NoJudgement => {
  if (reason instanceof Error) return { code: "PROBE", says: reason.message };
  throw reason;
};

const readState = async ({ options, context, variables }: Run) =>
  parseState(await options.probe(context.connection, variables));

/** Disarms all faults, and advances the clock until every pending delivery has been retried. */
async function settleDeliveries(run: Run): Promise<void> {
  const { context, program, dayMs, isOver } = run;
  const { control } = context;
  await control.DELETE("/_sandbox/faults");
  await armLongLifeFault(context);
  program.start();
  await waitForRest(run, dayMs);
  for (let round = 0; round < MAX_DELIVERY_ROUNDS && !isOver(); round++) {
    const { items } = await unwrap(control.GET("/_sandbox/clock/due", { params: { query: { limit: 500 } } }));
    // The clock advances to the latest delivery, so that one request retries all of them.
    const last = items.findLast(({ what }) => what === "delivery");
    if (!last) break;
    const { now } = await unwrap(control.GET("/_sandbox/clock"));
    if (last.at > now) await unwrap(control.POST("/_sandbox/clock/advance", { body: { until: last.at } }));
    await waitForRest(run, dayMs);
  }
}

/** Repeats the comparison until there is no difference or the time is over. */
async function compareUntilAlike(run: Run): Promise<Partial<SoakOutcome>> {
  const { context, watched, dayMs, isOver, options } = run;
  const until = performance.now() + Math.max(GRACE_DAYS * dayMs, options.graceMs ?? GRACE_MS);
  for (;;) {
    await waitForRest(run, dayMs);
    const isLast = performance.now() >= until;
    const state = await readState(run).catch(toProbeFailure);
    if (isOver()) return { no_verdict: explainEnd(run, run.days) };
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
const isFailure = (state: object): state is NoJudgement => "code" in state;

function formatWhyCommand(id: string, { options, context }: Run): string {
  const { server } = options;
  return toCommand(["sandbox", "why", id, ...(server ? ["--url", server.url, "--world", context.world] : [])]);
}

function summarize({ options, watched, began, steps }: Run, sandbox: SandboxDescription, outcome: SoakOutcome) {
  const { command, seed, days, rate, scope, given = [] } = options;
  const part = options.steps ? ["--only", options.steps.join(",")] : [];
  const repeat = ["--days", String(days), "--seed", seed, ...given, ...part];
  const entries = watched.entries();
  const weather: Record<string, number> = {};
  for (const entry of entries)
    if (isRequest(entry) || isDelivery(entry))
      for (const { name } of entry.faults) if (name !== LONG_LIFE_FAULT.name) weather[name] = (weather[name] ?? 0) + 1;
  return {
    version: 1 as const,
    command,
    seed,
    days,
    rate,
    scope,
    sandbox,
    weather,
    begins: new Date(began).toISOString(),
    steps: steps.map(({ number }) => number),
    calls: entries.filter(isRequest).length,
    deliveries: entries.filter(isDelivery).length,
    again: toCommand(["sandbox", "check", "soak", ...repeat, "--", ...command]),
    at: new Date(performance.timeOrigin + performance.now()).toISOString(),
    exit_code: outcome.no_verdict ? 3 : outcome.differences.length > 0 ? 1 : 0,
  };
}
