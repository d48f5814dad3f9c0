// Soak: simulates a month of bookings and failures in a minute, then compares the state of the program with the sandbox's records.
// Everything that happens follows from the seed and spec/soak.yaml.
//   plan.ts, business.ts       what happens when      plan-runner.ts   performs it on the world's clock
//   truth.ts, differences.ts   the sandbox's records, and how the program's state differs from them
//   difference-evidence.ts     what should have informed the program
import { setTimeout as pause } from "node:timers/promises";
import { unwrap } from "../../client/control.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import type { SandboxDescription } from "../description.ts";
import { isDelivery, isRequest } from "../observed.ts";
import { prepareRuns, type RunTarget } from "../prepare.ts";
import { checkCalls, toNoVerdict } from "../program.ts";
import { isListening, reserveReceiver } from "../receiver-port.ts";
import { type Connection, type RunContext, rotateSecret } from "../run-context.ts";
import type { Launch } from "../run-environment.ts";
import { watchRun } from "../watch-run.ts";
import { readCompany } from "./company.ts";
import { explainDifference } from "./difference-evidence.ts";
import { findDifferences, listUnknownFields, type State } from "./differences.ts";
import { createPlan, type Planning } from "./plan.ts";
import { LONG_LIFE_FAULT, type PerformedPlan, type PlanRun, performPlan, waitForRest } from "./plan-runner.ts";
import { Program } from "./program.ts";
import type { FoundDifference, NoJudgement, Soak } from "./result.ts";
import { parseState } from "./state.ts";
import { DAY, type Step } from "./step.ts";
import { findUnreported, listExpectedIds, readTruth, type Scope } from "./truth.ts";

export { ROWS } from "./plan.ts";
export { reportSoak } from "./report.ts";
export type { Soak } from "./result.ts";
export type { Scope } from "./truth.ts";

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
  const limitMs = ALL_DAYS_MS + options.patienceMs;
  const target = { start, seed, server, fixture, webhookEvents, keep };
  const { environment, about } = await prepareRuns({ ...target, launch, limitMs });
  const { webhookUrl, variables } = await reserveReceiver(options.webhookUrl);
  const context = await environment.open({ webhookUrl, name: "soak" });
  try {
    const began = performance.now();
    const company = await readCompany(context.control);
    const began_at = company.now;
    const plan = createPlan(options, company).filter(({ number }) => options.steps?.includes(number) ?? true);
    const run = await createRun(context, options, { plan, variables, webhookUrl, began: began_at });
    try {
      const found = await performAndCompare(run, plan);
      const steps = plan.map(({ number }) => number);
      return { ...found, ...summarize(run, about, found), steps, took_ms: performance.now() - began };
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
  variables: Readonly<Record<string, string>>;
  webhookUrl: string | undefined;
}

async function createRun(
  context: RunContext,
  options: SoakOptions,
  { plan, variables, ...rest }: Pick<Run, "variables" | "webhookUrl" | "began"> & { plan: readonly Step[] },
): Promise<Run> {
  const { dayMs = Math.min(MAX_DAY_MS, ALL_DAYS_MS / options.days) } = options;
  // A soak of some steps ends on the day of the last one.
  const days = options.steps ? Math.ceil(((plan.at(-1)?.at ?? 0) + 1) / DAY) : options.days;
  const all = {
    ...{ ...variables, ...(await prepareSecrets(context, plan)) },
    ...{ SANDBOX_DAY_MS: String(Math.ceil(dayMs)), SANDBOX_RUN_FOLDER: options.freshFolder() },
  };
  const program = new Program(options.launch, context.connection, all);
  const isOver = () => options.isOver() || program.crash !== undefined || context.relay?.getLoss() !== undefined;
  const watched = watchRun(context, LOG_INTERVAL_MS);
  return { ...rest, options, days, context, watched, program, variables: all, dayMs, isOver };
}

type SoakOutcome = PerformedPlan &
  Pick<Soak, "done_days" | "compared" | "not_compared" | "differences" | "no_verdict" | "weather">;

const EMPTY_OUTCOME: SoakOutcome = {
  ...{ business: {}, refused: 0, restarts: 0, story: [], left_out: [], weather: {}, done_days: 0 },
  ...{ compared: {}, not_compared: [], differences: [], no_verdict: null },
};

async function performAndCompare(run: Run, plan: readonly Step[]): Promise<SoakOutcome> {
  const { options, days, context, watched, program } = run;
  const { report = () => {} } = options;
  await armLongLifeFault(context);
  program.start();
  const never = await waitForFirstCall(run);
  if (never) return { ...EMPTY_OUTCOME, no_verdict: never };
  let [day, wrong]: [number, NoJudgement | undefined] = [0, undefined];
  const isOver = () => run.isOver() || wrong !== undefined;
  const performed = await performPlan(plan, { ...run, isOver }, async (done) => {
    day = done;
    report({ what: "day", day, days, calls: watched.entries().filter(isRequest).length });
    // A probe that fails on the first day also fails at the end, so the soak ends early.
    if (day === 1) wrong = await readState(run).then(() => undefined, toProbeFailure);
  });
  if (plan.some(({ row }) => row === "rotated-secret") && context.connection.webhook_secret !== null)
    performed.left_out.unshift("Before the program starts, the secret of its subscription is rotated.");
  const outcome = { ...EMPTY_OUTCOME, ...performed, done_days: day };
  if (wrong) return { ...outcome, no_verdict: wrong };
  if (isOver()) return { ...outcome, no_verdict: explainEnd(run, day) };
  report({ what: "calm" });
  await settleDeliveries(run);
  if (isOver()) return { ...outcome, no_verdict: explainEnd(run, day) };
  return compareUntilAlike(run, outcome);
}

const armLongLifeFault = ({ control }: RunContext) =>
  unwrap(control.PUT("/_sandbox/faults", { body: { faults: [LONG_LIFE_FAULT] } }));

/** The program knows the next secret in advance, as if an operator had configured it. */
async function prepareSecrets(context: RunContext, plan: readonly Step[]): Promise<Record<string, string>> {
  const { webhook_secret } = context.connection;
  if (webhook_secret === null) return {};
  const rotation = plan.flatMap(({ does }) => does).find((each) => "rotate" in each);
  return rotation ? rotateSecret(context, rotation.rotate) : { SANDBOX_WEBHOOK_SECRETS: webhook_secret };
}

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

function explainEnd({ program, context, days }: Run, day: number): NoJudgement {
  const lost = context.relay?.getLoss();
  if (lost) return toNoVerdict(lost);
  const crash = program.crash;
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

const readState = async ({ options, context, variables }: Run): Promise<State> =>
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
async function compareUntilAlike(run: Run, outcome: SoakOutcome): Promise<SoakOutcome> {
  const { context, watched, dayMs, isOver } = run;
  const until = performance.now() + Math.max(GRACE_DAYS * dayMs, run.options.graceMs ?? GRACE_MS);
  for (;;) {
    await waitForRest(run, dayMs);
    const isLast = performance.now() >= until;
    const found = await compareOnce(run).catch(toProbeFailure);
    if ("code" in found) return { ...outcome, no_verdict: found };
    if (found.differences.length > 0 && !isLast && !isOver()) continue;
    if (isOver()) return { ...outcome, no_verdict: explainEnd(run, run.days) };
    const { state, truth, differences } = found;
    const entries = watched.entries();
    const sources = { context, entries, truth, why: createWhyCommand(run) };
    const explained: FoundDifference[] = [];
    for (const each of differences) explained.push(await explainDifference(each, sources));
    return {
      ...outcome,
      compared: Object.fromEntries(Object.entries(state).map(([kind, printed]) => [kind, printed.length])),
      not_compared: listUnknownFields(state, truth),
      differences: explained,
    };
  }
}

async function compareOnce(run: Run) {
  const { options, context, watched } = run;
  const state = await readState(run);
  const truth = await readTruth(context.control, Object.keys(state));
  const entries = watched.entries();
  // The program can't know of a change that caused neither a message nor a response.
  const unreported = findUnreported(entries);
  const differences = findDifferences(state, truth, (kind, records) =>
    listExpectedIds(kind, options.scope, records, entries),
  ).filter(({ kind, id }) => kind !== "stale" || !unreported.has(id));
  return { state, truth, differences };
}

function createWhyCommand({ options, context }: Run): (id: string) => string {
  const { server } = options;
  const there = server ? ["--url", server.url, "--world", context.world] : [];
  return (id) => toCommand(["sandbox", "why", id, ...there]);
}

function summarize({ options, watched, began }: Run, sandbox: SandboxDescription, outcome: SoakOutcome) {
  const { command, seed, days, rate, scope, given = [], steps } = options;
  const part = steps ? ["--only", steps.join(",")] : [];
  const repeat = ["--days", String(days), "--seed", seed, ...given, ...part];
  const entries = watched.entries();
  const weather: Record<string, number> = {};
  for (const entry of entries)
    if (isRequest(entry) || isDelivery(entry))
      for (const { name } of entry.faults) if (name !== LONG_LIFE_FAULT.name) weather[name] = (weather[name] ?? 0) + 1;
  return {
    ...{ version: 1 as const, command, seed, days, rate, scope, sandbox, weather },
    begins: new Date(began).toISOString(),
    calls: entries.filter(isRequest).length,
    deliveries: entries.filter(isDelivery).length,
    again: toCommand(["sandbox", "check", "soak", ...repeat, "--", ...command]),
    at: new Date(performance.timeOrigin + performance.now()).toISOString(),
    exit_code: outcome.no_verdict ? 3 : outcome.differences.length > 0 ? 1 : 0,
  };
}
