// Performs the plan of a soak on the world's clock, lets the program come to rest in between, and records the acts as steps of a scenario.
import { setTimeout as pause } from "node:timers/promises";
import { perform, unwrap } from "../../client/control.ts";
import type { Fault } from "../check.ts";
import { isRequest, type RequestEntry } from "../observed.ts";
import type { RunContext } from "../run-context.ts";
import type { WatchedRun } from "../watch-run.ts";
import { readEvents } from "./company.ts";
import type { Program } from "./program.ts";
import { type Act, DAY, type Step } from "./step.ts";
import type { Fields } from "./truth.ts";

export interface PlanRun {
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

export interface PerformedPlan {
  business: Record<string, number>;
  refused: number;
  restarts: number;
  /** The acts as steps of a scenario, and sentences for what a scenario can't express. */
  story: Fields[];
  left_out: string[];
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
): Promise<PerformedPlan> {
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

class PlanRunner {
  readonly performed: PerformedPlan = { business: {}, refused: 0, restarts: 0, story: [], left_out: [] };
  readonly #run: PlanRun;
  /** The results of acts, by the id that the plan gave the record. */
  readonly #results = new Map<string, Fields>();
  /** References to these results, as a scenario writes them. */
  readonly #references = new Map<string, Fields>();
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

  async performStep({ at, row, number, does }: Step): Promise<void> {
    const { began } = this.#run;
    await this.advance(began + at);
    for (const [nth, each] of does.entries()) {
      const name = `${number} ${row}${nth === 0 ? "" : ` ${nth + 1}`}`;
      if ("act" in each) {
        await this.advance(began + at + (each.later ?? 0));
        await this.#act(row, name, each);
      } else if ("fault" in each) await this.#arm(name, each.fault);
      else if ("own" in each) await this.#actOnOwn(row, each.own, number);
      else if ("program" in each) await this.#restart(each.program);
    }
  }

  async #act(row: string, name: string, { act, input }: Act): Promise<void> {
    const planned = input((id) => this.#results.get(id)) as { id?: string } | undefined;
    const result = await this.#perform(row, act, planned);
    // A rejected act is not recorded, because it would fail in the scenario.
    if (!result) return;
    this.#record({ name, act, with: input((id) => this.#references.get(id)) });
    if (planned?.id === undefined) return;
    this.#results.set(planned.id, result);
    const toReference = (path: string) => `\${${name}.result.${path}}`;
    const references = { order_id: toReference("order_id"), tickets: [{ id: toReference("tickets[0].id") }] };
    this.#references.set(planned.id, references);
  }

  /** Returns the result of the act; undefined if it was rejected. */
  async #perform(row: string, act: string, input: object | undefined): Promise<Fields | undefined> {
    const { data } = input ? await perform(this.#run.context.control, act, input) : {};
    if (data) this.performed.business[row] = (this.performed.business[row] ?? 0) + 1;
    else this.performed.refused++;
    return data?.result;
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

  async #restart(what: "stop" | "start"): Promise<void> {
    this.#leaveOut(`the program is ${what === "stop" ? "stopped" : "started again"}`);
    if (what === "stop") return this.#run.program.stop();
    this.#run.program.start();
    this.performed.restarts++;
  }

  /** Performs an act of the host on one of the bookings that the program created. */
  async #actOnOwn(row: string, act: string, number: number): Promise<void> {
    const input = await this.#findOwnInput(act, number);
    if (await this.#perform(row, act, input)) this.#leaveOut(`the host performs ${act} with a booking of the program`);
  }

  async #findOwnInput(act: string, number: number): Promise<object | undefined> {
    const { watched, context } = this.#run;
    const facts = watched.entries().flatMap((entry) => (isRequest(entry) ? entry.facts : []));
    const created = facts.filter(({ fact }) => fact === "booking.created");
    const booking_id = created[number % Math.max(1, created.length)]?.id;
    if (booking_id === undefined) return undefined;
    if (act === "cancelBooking") return { booking_id };
    const params = { path: { collection: "bookings" as const, id: booking_id } };
    const { record } = await unwrap(context.control.GET("/_sandbox/records/{collection}/{id}", { params }));
    const others = (await readEvents(context.control)).filter(
      ({ id, state, experience_id, sessions }) =>
        id !== record.event_id &&
        state === "ACTIVE" &&
        experience_id === record.experience_id &&
        Date.parse(sessions[0]?.starts_at ?? "") > this.#now + DAY,
    );
    const event = others[number % Math.max(1, others.length)];
    return event && { booking_id, event_id: event.id };
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
