// Does what a step of a plan says, at its instant of the world's clock, and writes down what was done as steps of a scenario.

import { setTimeout as pause } from "node:timers/promises";
import { perform, unwrap } from "../../client/control.ts";
import type { Fault } from "../check.ts";
import { isRequest, type RequestEntry } from "../observed.ts";
import type { RunContext } from "../run-context.ts";
import type { WatchedRun } from "../watched-run.ts";
import { everyRecord } from "./company.ts";
import type { Program } from "./program.ts";
import { type Act, DAY, type Step } from "./step.ts";
import type { Fields } from "./truth.ts";

export interface DoerDeps {
  context: RunContext;
  watched: WatchedRun;
  program: Program;
  /** Of the world's clock, in milliseconds. */
  began: number;
}

/** The outcome of a plan, in figures and as a story. */
export interface Performed {
  business: Record<string, number>;
  refused: number;
  restarts: number;
  /** What was done, as steps of a scenario; and in sentences what no scenario has. */
  story: Fields[];
  left_out: string[];
}

/** So long a program has, in real milliseconds, to try again what failed. */
const RECOVERS_MS = 500;
const STEP_MS = 5;

/** Weather that met nobody for a day is over. */
const LASTS = DAY;

/**
 * A day takes seconds, and a token of an hour would end between the call that it was asked for and the one after. No program has to bear
 * that, so that only the weather ends tokens.
 */
export const LONG_LIFE: Fault = {
  name: "lasting-token",
  operation: "createToken",
  token: { expires_in: DAY / 1000 },
  times: 100_000,
};

/** So many failures in a row as would come of a program that was away for long, no service has. */
const waitsAlready = ({ name, delivery }: { name: string; delivery?: unknown }, next: Fault): boolean =>
  delivery === undefined && name === next.name;

const isUnderWay = ({ status, operation }: RequestEntry): boolean =>
  operation === "createToken" || status === null || status === 401 || status === 429 || status >= 500;

export class Doer {
  readonly performed: Performed = { business: {}, refused: 0, restarts: 0, story: [], left_out: [] };
  readonly #doing: DoerDeps;
  readonly #answers = new Map<string, Fields>();
  /** By the same ids what a scenario calls the answers. */
  readonly #named = new Map<string, Fields>();
  /** When each fault that is armed is over; the first is that of tokens. */
  #until: number[] = [Number.POSITIVE_INFINITY];
  /** The request after which the program made no call. */
  #givenUp: number | undefined;
  #now: number;
  #sentUntil: number;

  constructor(doing: DoerDeps) {
    this.#doing = doing;
    this.#now = this.#sentUntil = doing.began;
  }

  async advance(to: number): Promise<void> {
    // Several steps may be at one instant.
    if (to <= this.#now) return;
    this.#now = to;
    await this.#untilRecovered();
    const body = { until: new Date(to).toISOString() };
    await unwrap(this.#doing.context.control.POST("/_sandbox/clock/advance", { body }));
  }

  async does({ at, row, number, does }: Step): Promise<void> {
    const { began } = this.#doing;
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
    const given = input((id) => this.#answers.get(id));
    const id = (given as { id?: string } | undefined)?.id;
    const result = await this.#perform(row, act, given);
    if (!result) return;
    // Only what was done is written down; a refused act would fail in the scenario.
    this.#tell({ name, act, with: input((known) => this.#named.get(known)) });
    if (id === undefined) return;
    this.#answers.set(id, result);
    // A reference to an earlier step, as scenarios write it.
    const of = (path: string) => `\${${name}.result.${path}}`;
    this.#named.set(id, { order_id: of("order_id"), tickets: [{ id: of("tickets[0].id") }] });
  }

  /** What it answers; undefined where it was refused. */
  async #perform(row: string, act: string, input: object | undefined): Promise<Fields | undefined> {
    const { data } = input ? await perform(this.#doing.context.control, act, input) : {};
    if (data) this.performed.business[row] = (this.performed.business[row] ?? 0) + 1;
    else this.performed.refused++;
    return data?.result;
  }

  /** A program may end what it began before the next thing happens: hours pass here between two attempts, or a token and its first call. */
  async #untilRecovered(): Promise<void> {
    const { control } = this.#doing.context;
    const until = performance.now() + RECOVERS_MS;
    for (;;) {
      const query = { kinds: ["request" as const], limit: 1 };
      const [last] = (await unwrap(control.GET("/_sandbox/log", { params: { query } }))).items;
      if (!last || !isRequest(last) || !isUnderWay(last) || last.seq === this.#givenUp) return;
      if (performance.now() > until) this.#givenUp = last.seq;
      await pause(STEP_MS);
    }
  }

  async #arm(name: string, fault: Fault): Promise<void> {
    if (fault.token) await this.#untilRecovered();
    const { control } = this.#doing.context;
    const { faults } = await unwrap(control.GET("/_sandbox/faults"));
    // Arming replaces the list, so what is still under way is sent again, and what met nobody for a day is dropped.
    const alive = faults
      .map((each, nth) => ({ each, until: this.#until[nth] ?? 0 }))
      .filter(({ each, until }) => each.left > 0 && until > this.#now && !waitsAlready(each, fault));
    this.#until = [...alive.map(({ until }) => until), this.#now + LASTS];
    await unwrap(control.PUT("/_sandbox/faults", { body: { faults: [...alive.map(({ each }) => each), fault] } }));
    this.#tell({ name, fault });
  }

  async #restart(what: "stop" | "start"): Promise<void> {
    const at = new Date(this.#now).toISOString();
    this.performed.left_out.push(`At ${at} the program is ${what === "stop" ? "stopped" : "started again"}.`);
    if (what === "stop") return this.#doing.program.stop();
    this.#doing.program.start();
    this.performed.restarts++;
  }

  async #actOnOwn(row: string, act: string, number: number): Promise<void> {
    const input = await this.#ownInput(act, number);
    if (!(await this.#perform(row, act, input))) return;
    const at = new Date(this.#now).toISOString();
    this.performed.left_out.push(`At ${at} the host does ${act} with a booking of the program.`);
  }

  /** One of the bookings that the program has made. */
  async #ownInput(act: string, number: number): Promise<object | undefined> {
    const { watched, context } = this.#doing;
    const facts = watched.entries().flatMap((entry) => (isRequest(entry) ? entry.facts : []));
    const made = facts.filter(({ fact }) => fact === "booking.created");
    const booking_id = made[number % Math.max(1, made.length)]?.id;
    if (booking_id === undefined || act === "cancelBooking")
      return booking_id === undefined ? undefined : { booking_id };
    const params = { path: { collection: "bookings" as const, id: booking_id } };
    const { record } = await unwrap(context.control.GET("/_sandbox/records/{collection}/{id}", { params }));
    const others = ((await everyRecord(context.control, "events")) as unknown as StoredEvent[]).filter(
      ({ id, state, experience_id, sessions }) =>
        id !== record.event_id &&
        state === "ACTIVE" &&
        experience_id === record.experience_id &&
        Date.parse(sessions[0]?.starts_at ?? "") > this.#now + DAY,
    );
    const event = others[number % Math.max(1, others.length)];
    return event && { booking_id, event_id: event.id };
  }

  #tell(step: Fields): void {
    if (this.#now > this.#sentUntil) {
      const until = new Date(this.#now).toISOString();
      this.performed.story.push({ name: `it is ${until}`, advance: until });
    }
    this.#sentUntil = this.#now;
    this.performed.story.push(step);
  }
}

interface StoredEvent {
  id: string;
  state: string;
  experience_id: string;
  sessions: readonly { starts_at: string }[];
}
