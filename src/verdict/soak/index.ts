// The door of the soak: a month of business in bad weather, in a minute; then calm, and the program's own state beside the truth.
// Everything that happens follows from the seed and spec/soak.yaml.
//   plan.ts, business.ts   what happens when      performing.ts   doing it, with the clock
//   truth.ts, differences.ts   what is so, and what the program holds instead      difference-evidence.ts   what would have prevented it
import { setTimeout as pause } from "node:timers/promises";
import { unwrap } from "../../client/control.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import type { Connection } from "../connection.ts";
import type { About } from "../description.ts";
import { isDelivery, isRequest } from "../observed.ts";
import { prepare, type Where } from "../prepare.ts";
import { noVerdictOn, whyNotCalled } from "../program.ts";
import { freePort, listens } from "../receiver-port.ts";
import type { RunContext } from "../run-context.ts";
import type { Launch } from "../run-environment.ts";
import { type WatchedRun, watchRun } from "../watched-run.ts";
import { companyIn } from "./company.ts";
import { explainedBy } from "./difference-evidence.ts";
import { type Difference, differencesIn, type State, unknownIn } from "./differences.ts";
import { LONG_LIFE, type Performed } from "./doer.ts";
import { atRest, performAll } from "./performing.ts";
import { type Planning, planOf } from "./plan.ts";
import { type Program, programOf } from "./program.ts";
import type { FoundDifference, NoJudgement, Soak } from "./result.ts";
import { stateFrom } from "./state.ts";
import { DAY, type Step } from "./step.ts";
import { expectedIn, type Scope, truthOf, unsentIn } from "./truth.ts";

export { ROWS } from "./plan.ts";
export { reportSoak } from "./report.ts";
export type { Soak } from "./result.ts";
export type { Scope } from "./truth.ts";

/** `isOver` is asked often; it ends the soak between two steps. */
export interface SoakOptions extends Where, Planning {
  command: readonly string[];
  /** Options that a command needs which repeats it, beside the seed. */
  given?: readonly string[];
  launch: Launch;
  webhookUrl?: string | undefined;
  probe(connection: Connection, more: Readonly<Record<string, string>>): Promise<unknown>;
  /** Makes an empty folder for what the program keeps. */
  freshFolder(): string;
  scope: Scope;
  /** Only these steps of the plan. */
  steps?: readonly number[] | undefined;
  /** The longest that a day may take, in real milliseconds. */
  dayMs?: number;
  /** Milliseconds that the program has at least, when all is calm, to know what is so. */
  graceMs?: number;
  /** Milliseconds until the program must have come. */
  patienceMs: number;
  isOver(): boolean;
  report?(progress: SoakProgress): void;
}

export type SoakProgress = { what: "day"; day: number; days: number; calls: number } | { what: "calm" };

/** Thirty days take a minute at most, beside what the program needs. */
const ALL_DAYS_MS = 60_000;
/** Short soaks need not be rushed, but nobody waits for them either. */
const LONGEST_DAY_MS = 2000;
/** Between two readings of the log. */
const READ_MS = 20;
/** So many rounds of deliveries that are to be tried again. */
const ROUNDS = 40;

/** Never rejects for what the program does: `no_verdict` says why nothing was compared. */
export async function soak(options: SoakOptions): Promise<Soak> {
  const { launch, webhookUrl } = options;
  const { start, seed, server, fixture, webhookEvents, keep } = options;
  const limitMs = ALL_DAYS_MS + options.patienceMs;
  const { environment, about } = await prepare({ start, seed, server, fixture, webhookEvents, keep, launch, limitMs });
  const port = webhookUrl?.includes("{port}") ? await freePort() : undefined;
  const receiver = webhookUrl?.replaceAll("{port}", String(port));
  const context = await environment.open({ webhookUrl: receiver, name: "soak" });
  try {
    return await soakIn(context, options, { about, port, receiver });
  } finally {
    await context.close();
  }
}

interface Around {
  about: About;
  port: number | undefined;
  receiver: string | undefined;
}

async function soakIn(context: RunContext, options: SoakOptions, { about, port, receiver }: Around): Promise<Soak> {
  const began = performance.now();
  const { launch, steps } = options;
  const { dayMs = Math.min(LONGEST_DAY_MS, ALL_DAYS_MS / options.days) } = options;
  const company = await companyIn(context.control);
  // Before the plan, which moves it.
  const { now } = company;
  const whole = planOf(options, company);
  const plan = whole.filter(({ number }) => steps?.includes(number) ?? true);
  // Of a part the days after its last step are left out.
  const days = steps ? Math.ceil(((plan.at(-1)?.at ?? 0) + 1) / DAY) : options.days;
  const more = {
    ...(port === undefined ? {} : { PORT: String(port) }),
    ...(await secretsFor(context, plan)),
    ...{ SANDBOX_DAY_MS: String(Math.ceil(dayMs)), SANDBOX_RUN_FOLDER: options.freshFolder() },
  };
  const program = programOf(launch, context.connection, more);
  const isOver = () => options.isOver() || program.died() !== undefined || context.relay?.getLoss() !== undefined;
  const watched = watchRun(context, READ_MS);
  const run: Run = { options, days, context, watched, program, more, dayMs, began: now, receiver, isOver };
  try {
    const found = await outcomeOf(run, plan);
    const numbers = plan.map(({ number }) => number);
    return { ...found, ...figuresOf(run, about, found), steps: numbers, took_ms: performance.now() - began };
  } finally {
    await program.stop();
    await watched.end();
  }
}

interface Run {
  options: SoakOptions;
  /** How many are done. */
  days: number;
  context: RunContext;
  watched: WatchedRun;
  program: Program;
  more: Readonly<Record<string, string>>;
  dayMs: number;
  began: number;
  receiver: string | undefined;
  isOver(): boolean;
}

type SoakOutcome = Performed &
  Pick<Soak, "done_days" | "compared" | "not_compared" | "differences" | "no_verdict" | "weather">;

const NOTHING: SoakOutcome = {
  ...{ business: {}, refused: 0, restarts: 0, story: [], left_out: [], weather: {}, done_days: 0 },
  ...{ compared: {}, not_compared: [], differences: [], no_verdict: null },
};

async function outcomeOf(run: Run, plan: readonly Step[]): Promise<SoakOutcome> {
  const { options, days, context, watched, program, began, dayMs, isOver } = run;
  const { report = () => {} } = options;
  await armLongLife(context);
  program.start();
  const never = await waitForFirstCall(run);
  if (never) return { ...NOTHING, no_verdict: never };
  let [day, wrong]: [number, NoJudgement | undefined] = [0, undefined];
  const performed = await performAll(plan, {
    ...{ context, watched, program, began, days, dayMs },
    isOver: () => isOver() || wrong !== undefined,
    dayDone: async (done) => {
      day = done;
      report({ what: "day", day, days, calls: watched.entries().filter(isRequest).length });
      // What it can't say after a day, it can't after a month.
      if (day === 1) wrong = await stateOf(run).then(() => undefined, noStateOf);
    },
  });
  if (plan.some(({ row }) => row === "rotated-secret") && context.connection.webhook_secret !== null)
    performed.left_out.unshift("Before the program begins, the secret of its subscription is rotated.");
  const so = { ...NOTHING, ...performed, done_days: day };
  if (wrong) return { ...so, no_verdict: wrong };
  if (isOver()) return { ...so, no_verdict: whyOver(run, day) };
  report({ what: "calm" });
  await calm(run);
  if (isOver()) return { ...so, no_verdict: whyOver(run, day) };
  return compared(run, so);
}

const armLongLife = ({ control }: RunContext) =>
  unwrap(control.PUT("/_sandbox/faults", { body: { faults: [LONG_LIFE] } }));

/** With the next secret known beforehand, as an operator would tell it. */
async function secretsFor({ control, connection }: RunContext, plan: readonly Step[]): Promise<Record<string, string>> {
  const { webhook_secret } = connection;
  if (webhook_secret === null) return {};
  const rotation = plan.flatMap(({ does }) => does).find((each) => "rotate" in each);
  if (!rotation || !("rotate" in rotation)) return { SANDBOX_WEBHOOK_SECRETS: webhook_secret };
  const path = { collection: "subscriptions" as const };
  const { items } = await unwrap(control.GET("/_sandbox/records/{collection}", { params: { path } }));
  const params = { path: { subscriptionId: items[0]?.id ?? "" } };
  const body = { overlap: rotation.rotate };
  const { secret } = await unwrap(
    control.POST("/_sandbox/webhook-subscriptions/{subscriptionId}/rotate-secret", { params, body }),
  );
  return { SANDBOX_WEBHOOK_SECRETS: `${webhook_secret} ${secret}` };
}

/** Undefined as soon as it has called, or its receiver listens. */
async function waitForFirstCall(run: Run): Promise<NoJudgement | undefined> {
  const { options, watched, program, receiver, context, isOver } = run;
  const until = performance.now() + options.patienceMs;
  while (performance.now() < until && !isOver()) {
    if (watched.entries().some(isRequest)) break;
    if (receiver !== undefined && (await listens(receiver))) return undefined;
    await pause(READ_MS);
  }
  if (isOver()) return whyOver(run, 0);
  await atRest({ watched, isOver }, LONGEST_DAY_MS);
  const requests = watched.entries().filter(isRequest);
  return whyNotCalled({ requests, deliveries: [], connection: context.connection, output: program.output() });
}

function whyOver({ program, context, days }: Run, day: number): NoJudgement {
  const lost = context.relay?.getLoss();
  if (lost) return noVerdictOn(lost);
  const died = program.died();
  if (!died) return { code: "STOPPED", says: `It was stopped on day ${day + 1} of ${days}, so nothing was compared.` };
  if (died.notStarted !== undefined) return { code: "NOT_STARTED", says: died.notStarted };
  const says = `The program ended by itself on day ${day + 1} of ${days}, with exit code ${died.code ?? "none"}. A soak needs one that stays until it is stopped.`;
  return { code: "DIED", says, output: died.output };
}

const noStateOf = (reason: unknown): NoJudgement => {
  if (reason instanceof Error) return { code: "PROBE", says: reason.message };
  throw reason;
};

async function stateOf({ options, context, more }: Run): Promise<State> {
  return stateFrom(await options.probe(context.connection, more));
}

/** No more weather; what is due is delivered, and tried again once its time has come. */
async function calm(run: Run): Promise<void> {
  const { context, program, dayMs, isOver } = run;
  const { control } = context;
  await control.DELETE("/_sandbox/faults");
  await armLongLife(context);
  program.start();
  await atRest(run, dayMs);
  for (let round = 0; round < ROUNDS && !isOver(); round++) {
    const { items } = await unwrap(control.GET("/_sandbox/clock/due", { params: { query: { limit: 500 } } }));
    // The latest of the due deliveries: one move of the clock tries them all.
    const last = items.findLast(({ what }) => what === "delivery");
    if (!last) break;
    const { now } = await unwrap(control.GET("/_sandbox/clock"));
    if (last.at > now) await unwrap(control.POST("/_sandbox/clock/advance", { body: { until: last.at } }));
    await atRest(run, dayMs);
  }
}

/** Asks until the program agrees with the truth, or its time is over: two of its days, or the grace. */
async function compared(run: Run, so: SoakOutcome): Promise<SoakOutcome> {
  const { context, watched, dayMs, isOver } = run;
  const until = performance.now() + Math.max(GRACE_DAYS * dayMs, run.options.graceMs ?? GRACE_MS);
  for (;;) {
    await atRest(run, dayMs);
    const isLast = performance.now() >= until;
    const found = await look(run).catch(noStateOf);
    if ("code" in found) return { ...so, no_verdict: found };
    if (found.differences.length > 0 && !isLast && !isOver()) continue;
    if (isOver()) return { ...so, no_verdict: whyOver(run, run.days) };
    const { state, truth, differences } = found;
    const entries = watched.entries();
    const telling = { context, entries, truth, why: whyOf(run) };
    const explained: FoundDifference[] = [];
    for (const each of differences) explained.push(await explainedBy(each, telling));
    return {
      ...so,
      compared: Object.fromEntries(Object.entries(state).map(([kind, printed]) => [kind, printed.length])),
      not_compared: unknownIn(state, truth),
      differences: explained,
    };
  }
}

const GRACE_DAYS = 2;
const GRACE_MS = 5000;

async function look(run: Run) {
  const { options, context, watched } = run;
  const state = await stateOf(run);
  const truth = await truthOf(context.control, Object.keys(state));
  const entries = watched.entries();
  // A record whose last change had neither a message nor an answer may be stale in the program.
  const unsent = unsentIn(entries);
  const differences: Difference[] = differencesIn(state, truth, (kind, records) =>
    expectedIn(kind, options.scope, records, entries),
  ).filter(({ kind, id }) => kind !== "stale" || !unsent.has(id));
  return { state, truth, differences };
}

function whyOf({ options, context }: Run): (id: string) => string {
  const { server } = options;
  const there = server ? ["--url", server.url, "--world", context.world] : [];
  return (id) => toCommand(["sandbox", "why", id, ...there]);
}

function figuresOf({ options, watched, began }: Run, about: About, { differences, no_verdict }: SoakOutcome) {
  const { command, seed, days, rate, scope, given = [], steps } = options;
  const part = steps ? ["--steps", steps.join(",")] : [];
  const entries = watched.entries();
  const hits: Record<string, number> = {};
  for (const entry of entries)
    if (isRequest(entry) || isDelivery(entry))
      for (const { name } of entry.faults) if (name !== LONG_LIFE.name) hits[name] = (hits[name] ?? 0) + 1;
  return {
    ...{ version: 1 as const, command, seed, days, rate, scope, sandbox: about, weather: hits },
    begins: new Date(began).toISOString(),
    calls: entries.filter(isRequest).length,
    deliveries: entries.filter(isDelivery).length,
    again: toCommand([
      "sandbox",
      "check",
      "soak",
      "--days",
      String(days),
      "--seed",
      seed,
      ...given,
      ...part,
      "--",
      ...command,
    ]),
    at: new Date(performance.timeOrigin + performance.now()).toISOString(),
    exit_code: no_verdict ? 3 : differences.length > 0 ? 1 : 0,
  };
}
