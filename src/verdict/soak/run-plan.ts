// Performs the plan of a soak on the world's clock, and lets the program come to rest in between.
import { setTimeout as pause } from "node:timers/promises";
import { perform, unwrap } from "../../client/control.ts";
import type { Fault } from "../check.ts";
import { isRequest, type RequestEntry } from "../observed.ts";
import { type WatchedRun, watchRun } from "../watch-run.ts";
import type { Connection, Launch, ProgramEnd, RunContext, Running, RunTarget } from "../worlds.ts";
import { makers, Occasion } from "./business.ts";
import type { Scope } from "./compare.ts";
import { createDraw, DAY, drawNumbers, isBusiness, isWeather, type Planning, type Step, weather } from "./plan.ts";

/** Starts and stops the program, each time with the same environment. */
class Program {
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
  /** Called with a difference while the world still exists. */
  onDifference?(context: RunContext): Promise<void>;
}

export type SoakProgress = { what: "day"; day: number; days: number; calls: number } | { what: "calm" };

/** The plan of one soak. */
interface PlanDetails {
  steps: readonly Step[];
  /** When the soak started, on the world's clock, in milliseconds since 1970. */
  began: number;
  days: number;
  /** How long the program may stay busy per day, in real milliseconds. */
  dayMs: number;
  /** Additional variables of the program. */
  variables: Readonly<Record<string, string>>;
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

export const LOG_INTERVAL_MS = 20;

/** The program is at rest when no entry was logged for this long. */
const QUIET_MS = 60;
/** The program gets time to finish its work this often per day. */
const RESTS_A_DAY = 4;

/** A fault replaces the armed one of its name, because a program that was stopped for long would meet too many failures in a row. */
const isReplaced = ({ name, delivery }: { name: string; delivery?: unknown }, next: Fault): boolean =>
  delivery === undefined && name === next.name;

const isUnderWay = ({ status, operation }: RequestEntry): boolean =>
  operation === "createToken" || status === null || status === 401 || status === 429 || status >= 500;

/** A soak while it runs. */
export class SoakRun {
  readonly performed = {
    business: {} as Record<string, number>,
    refused: 0,
    restarts: 0,
    /** The number of days that were simulated. */
    done_days: 0,
  };
  readonly watched: WatchedRun;
  readonly program: Program;
  /** When each armed fault is disarmed. The first fault is LONG_LIFE_FAULT. */
  #until: number[] = [Number.POSITIVE_INFINITY];
  /** The failed request that the program did not retry. */
  #givenUp: number | undefined;
  #now: number;

  constructor(
    readonly options: SoakOptions,
    readonly context: RunContext,
    readonly plan: PlanDetails,
  ) {
    this.watched = watchRun(context, LOG_INTERVAL_MS);
    this.program = new Program(() => options.launch(context.connection, plan.variables));
    this.#now = plan.began;
  }

  isOver(): boolean {
    return this.options.isOver() || this.program.crash !== undefined || this.context.relay?.getLoss() !== undefined;
  }

  /** Performs the steps, which are sorted by time. Stops when the soak is over, or when `onDay` returns a value, which is returned. */
  async perform<T extends object>(onDay: (day: number) => Promise<T | undefined>): Promise<T | undefined> {
    const { began, days, dayMs, steps } = this.plan;
    const rest = DAY / RESTS_A_DAY;
    let next = 0;
    for (let at = rest; at <= days * DAY; at += rest) {
      for (; (steps[next]?.at ?? Number.POSITIVE_INFINITY) < at; next++) {
        if (this.isOver()) return undefined;
        await this.#performStep(steps[next] as Step);
      }
      await this.#advance(began + at);
      await this.waitForRest(dayMs / RESTS_A_DAY);
      if (this.isOver()) return undefined;
      if (at % DAY !== 0) continue;
      this.performed.done_days = at / DAY;
      const found = await onDay(at / DAY);
      if (found) return found;
    }
    return undefined;
  }

  /** Waits until the program is at rest, at most `limitMs`. */
  async waitForRest(limitMs = this.plan.dayMs): Promise<void> {
    const from = performance.now();
    const measureElapsed = () => performance.now() - from;
    const isBusy = () => this.watched.quietFor() < QUIET_MS || measureElapsed() < QUIET_MS;
    // The first QUIET_MS are always waited for, because the last message may still be on its way.
    do await pause(QUIET_MS / 3);
    while (!this.isOver() && measureElapsed() < limitMs && isBusy());
  }

  async #advance(to: number): Promise<void> {
    if (to <= this.#now) return;
    this.#now = to;
    await this.#waitForRecovery();
    const body = { until: new Date(to).toISOString() };
    await unwrap(this.context.control.POST("/_sandbox/clock/advance", { body }));
  }

  async #performStep({ at, row, nth }: Step): Promise<void> {
    const { context, program, performed } = this;
    const { seed } = this.options;
    const due = this.plan.began + at;
    await this.#advance(due);
    if (row === "restart" && nth % 2 === 1) await program.stop();
    else if (row === "restart") {
      program.start();
      performed.restarts++;
    }
    if (isWeather(row)) {
      const fault = drawNumbers(weather[row].fault, createDraw(`${seed}/${row}/${nth}`)) as Fault;
      await this.#arm({ ...fault, name: row });
    }
    if (!isBusiness(row)) return;
    const { control } = context;
    const occasion = new Occasion(control, `${seed}/${row}-${nth}`, this.#now, this.#listBookingsOfProgram());
    for (const { act, input, later = 0 } of await makers[row](occasion)) {
      await this.#advance(due + later);
      const { data } = await perform(control, act, input);
      if (data) performed.business[row] = (performed.business[row] ?? 0) + 1;
      else performed.refused++;
    }
  }

  #listBookingsOfProgram(): Set<string> {
    const facts = this.watched.entries().flatMap((entry) => (isRequest(entry) ? entry.facts : []));
    return new Set(facts.flatMap(({ fact, id }) => (fact === "booking.created" ? [id] : [])));
  }

  /** Lets the program finish its retries before hours pass between two of them, or between a token and its first use. */
  async #waitForRecovery(): Promise<void> {
    const { control } = this.context;
    const until = performance.now() + RECOVERY_MS;
    for (;;) {
      const query = { kinds: ["request" as const], limit: 1 };
      const [last] = (await unwrap(control.GET("/_sandbox/log", { params: { query } }))).items;
      if (!last || !isRequest(last) || !isUnderWay(last) || last.seq === this.#givenUp) return;
      if (performance.now() > until) this.#givenUp = last.seq;
      await pause(RECOVERY_STEP_MS);
    }
  }

  async #arm(fault: Fault): Promise<void> {
    if (fault.token) await this.#waitForRecovery();
    const { control } = this.context;
    const { faults } = await unwrap(control.GET("/_sandbox/faults"));
    // The request replaces all armed faults, so it repeats those that stay armed.
    const alive = faults
      .map((each, nth) => ({ each, until: this.#until[nth] ?? 0 }))
      .filter(({ each, until }) => each.left > 0 && until > this.#now && !isReplaced(each, fault));
    this.#until = [...alive.map(({ until }) => until), this.#now + FAULT_LIFETIME];
    await unwrap(control.PUT("/_sandbox/faults", { body: { faults: [...alive.map(({ each }) => each), fault] } }));
  }
}
