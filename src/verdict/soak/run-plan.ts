// Performs the plan of a soak on the world's clock, lets the program come to rest in between, and records the acts as steps of a scenario.
import { setTimeout as pause } from "node:timers/promises";
import { perform, unwrap } from "../../client/control.ts";
import type { Fault } from "../check.ts";
import { isRequest, type ProgramEnd, type RequestEntry } from "../observed.ts";
import type { Launch, Running } from "../prepare.ts";
import type { WatchedRun } from "../watch-run.ts";
import type { RunContext } from "../worlds.ts";
import { type Act, makers, Occasion } from "./business.ts";
import type { Fields } from "./compare.ts";
import { createDraw, DAY, drawNumbers, isBusiness, isWeather, type Step, weather } from "./plan.ts";

/** Starts and stops the program, each time with the same environment. */
export class Program {
  /** How the program ended, if it ended by itself. */
  crash: ProgramEnd | undefined;
  /** The end of its last output. */
  output = "";
  #running: Running | undefined;

  constructor(readonly launch: () => ReturnType<Launch>) {}

  start(): void {
    if (this.#running) return;
    const started = this.launch();
    this.#running = started;
    void started.ended.then((ended) => {
      this.output = ended.output;
      // A program that was stopped did not end by itself.
      if (this.#running === started) this.crash = ended;
    });
  }

  async stop(): Promise<void> {
    const stopped = this.#running;
    this.#running = undefined;
    if (this.crash) return;
    stopped?.stop();
    await stopped?.ended;
  }
}

export interface PlanRun {
  seed: string;
  context: RunContext;
  watched: WatchedRun;
  program: Program;
  /** When the soak started, on the world's clock, in milliseconds since 1970. */
  began: number;
  days: number;
  /** How long the program may stay busy per day, in real milliseconds. */
  dayMs: number;
  isOver(): boolean;
}

/** How long the program may retry a failed request before the clock moves on, in real milliseconds. */
const RECOVERY_MS = 500;
const RECOVERY_STEP_MS = 5;

/** A fault that has hit nothing for a day is disarmed. */
const FAULT_LIFETIME = DAY;

/**
 * A day takes seconds, so a token with a lifetime of one hour would expire between its request and the next one. Real programs never meet
 * that, so tokens expire only when a fault of the plan says so.
 */
export const LONG_LIFE_FAULT: Fault = {
  name: "lasting-token",
  operation: "createToken",
  token: { expires_in: DAY / 1000 },
  times: 100_000,
};

/** The program is at rest when no entry was logged for this long. */
const QUIET_MS = 60;
/** The program gets time to finish its work this often per day. */
const RESTS_A_DAY = 4;

/** Performs steps that are sorted by time. Stops early when `isOver` returns true. */
export async function performPlan(
  steps: readonly Step[],
  run: PlanRun,
  onDay: (day: number) => Promise<void>,
): Promise<PlanRunner["performed"]> {
  const { began, days, isOver } = run;
  const runner = new PlanRunner(run);
  const rest = DAY / RESTS_A_DAY;
  let next = 0;
  for (let at = rest; at <= days * DAY; at += rest) {
    for (; (steps[next]?.at ?? Number.POSITIVE_INFINITY) < at; next++) {
      if (isOver()) return runner.performed;
      await runner.performStep(steps[next] as Step);
    }
    await runner.advance(began + at);
    await waitForRest(run, run.dayMs / RESTS_A_DAY);
    if (isOver()) return runner.performed;
    if (at % DAY === 0) await onDay(at / DAY);
  }
  return runner.performed;
}

/** Waits until the program is at rest, at most `limitMs`. */
export async function waitForRest(
  { watched, isOver }: Pick<PlanRun, "watched" | "isOver">,
  limitMs: number,
): Promise<void> {
  const from = performance.now();
  const measureElapsed = () => performance.now() - from;
  // The first QUIET_MS are always waited for, because the last message may still be on its way.
  do await pause(QUIET_MS / 3);
  while (!isOver() && measureElapsed() < limitMs && (watched.quietFor() < QUIET_MS || measureElapsed() < QUIET_MS));
}

/** A fault of this name is already armed. A program that was stopped for long would otherwise meet unrealistic series of failures. */
const isArmedTwice = ({ name, delivery }: { name: string; delivery?: unknown }, next: Fault): boolean =>
  delivery === undefined && name === next.name;

const isUnderWay = ({ status, operation }: RequestEntry): boolean =>
  operation === "createToken" || status === null || status === 401 || status === 429 || status >= 500;

export class PlanRunner {
  readonly performed = {
    business: {} as Record<string, number>,
    refused: 0,
    restarts: 0,
    /** The acts as steps of a scenario, and sentences for what a scenario can't express. */
    story: [] as Fields[],
    left_out: [] as string[],
  };
  readonly #run: PlanRun;
  /** The ids that the world generates, each with a reference that a scenario can use instead. */
  readonly #references = new Map<unknown, string>();
  /** When each armed fault is disarmed. The first fault is LONG_LIFE_FAULT. */
  #until: number[] = [Number.POSITIVE_INFINITY];
  /** The failed request that the program did not retry. */
  #givenUp: number | undefined;
  #now: number;
  #recordedUntil: number;

  constructor(run: PlanRun) {
    this.#run = run;
    this.#now = this.#recordedUntil = run.began;
  }

  async advance(to: number): Promise<void> {
    if (to <= this.#now) return;
    this.#now = to;
    await this.#waitForRecovery();
    const body = { until: new Date(to).toISOString() };
    await unwrap(this.#run.context.control.POST("/_sandbox/clock/advance", { body }));
  }

  async performStep({ at, row, number, nth }: Step): Promise<void> {
    const {
      began,
      seed,
      context: { control },
    } = this.#run;
    await this.advance(began + at);
    if (row === "restart") await this.#restart(nth);
    if (isWeather(row)) {
      const fault = drawNumbers(weather[row].fault, createDraw(`${seed}/${row}/${nth}`)) as Fault;
      await this.#arm(`${number} ${row}`, { ...fault, name: row });
    }
    if (!isBusiness(row)) return;
    const ofProgram = this.#listBookingsOfProgram();
    const acts = await makers[row](new Occasion({ control, seed, name: `${row}-${nth}`, now: this.#now, ofProgram }));
    for (const [index, act] of acts.entries()) {
      await this.advance(began + at + (act.later ?? 0));
      const isDone = await this.#act(`${number} ${row}${index === 0 ? "" : ` ${index + 1}`}`, act, ofProgram);
      if (isDone) this.performed.business[row] = (this.performed.business[row] ?? 0) + 1;
      else this.performed.refused++;
    }
  }

  #listBookingsOfProgram(): Set<string> {
    const facts = this.#run.watched.entries().flatMap((entry) => (isRequest(entry) ? entry.facts : []));
    return new Set(facts.flatMap(({ fact, id }) => (fact === "booking.created" ? [id] : [])));
  }

  /** Returns false if the act was rejected. It is not recorded then, because it would fail in the scenario. */
  async #act(name: string, { act, input }: Act, ofProgram: ReadonlySet<string>): Promise<boolean> {
    const { data } = await perform(this.#run.context.control, act, input);
    if (!data) return false;
    if (ofProgram.has(String(input.booking_id))) {
      this.#leaveOut(`the host performs ${act} with a booking of the program`);
      return true;
    }
    const known = Object.entries(input).map(([field, value]) => [field, this.#references.get(value) ?? value]);
    this.#record({ name, act, with: Object.fromEntries(known) });
    const { order_id, tickets = [] } = data.result as { order_id?: string; tickets?: readonly { id: string }[] };
    if (order_id !== undefined) this.#references.set(order_id, `\${${name}.result.order_id}`);
    for (const [at, ticket] of tickets.entries())
      this.#references.set(ticket.id, `\${${name}.result.tickets[${at}].id}`);
    return true;
  }

  /** Lets the program finish its retries before hours pass between two of them, or between a token and its first use. */
  async #waitForRecovery(): Promise<void> {
    const { control } = this.#run.context;
    const until = performance.now() + RECOVERY_MS;
    for (;;) {
      const query = { kinds: ["request" as const], limit: 1 };
      const [last] = (await unwrap(control.GET("/_sandbox/log", { params: { query } }))).items;
      if (!last || !isRequest(last) || !isUnderWay(last) || last.seq === this.#givenUp) return;
      if (performance.now() > until) this.#givenUp = last.seq;
      await pause(RECOVERY_STEP_MS);
    }
  }

  async #arm(name: string, fault: Fault): Promise<void> {
    if (fault.token) await this.#waitForRecovery();
    const { control } = this.#run.context;
    const { faults } = await unwrap(control.GET("/_sandbox/faults"));
    // The request replaces all armed faults, so it repeats those that stay armed.
    const alive = faults
      .map((each, nth) => ({ each, until: this.#until[nth] ?? 0 }))
      .filter(({ each, until }) => each.left > 0 && until > this.#now && !isArmedTwice(each, fault));
    this.#until = [...alive.map(({ until }) => until), this.#now + FAULT_LIFETIME];
    await unwrap(control.PUT("/_sandbox/faults", { body: { faults: [...alive.map(({ each }) => each), fault] } }));
    this.#record({ name, fault });
  }

  async #restart(nth: number): Promise<void> {
    const isStop = nth % 2 === 1;
    this.#leaveOut(`the program is ${isStop ? "stopped" : "started again"}`);
    if (isStop) return this.#run.program.stop();
    this.#run.program.start();
    this.performed.restarts++;
  }

  #leaveOut(sentence: string): void {
    this.performed.left_out.push(`At ${new Date(this.#now).toISOString()} ${sentence}.`);
  }

  #record(step: Fields): void {
    if (this.#now > this.#recordedUntil) {
      const until = new Date(this.#now).toISOString();
      this.performed.story.push({ name: `it is ${until}`, advance: until });
    }
    this.#recordedUntil = this.#now;
    this.performed.story.push(step);
  }
}
