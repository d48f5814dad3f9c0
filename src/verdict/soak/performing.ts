// Carries out the steps of a plan in a world: moves the clock to each, does what it says, and lets the program come to rest now and then.
import { setTimeout as pause } from "node:timers/promises";
import { dataOf, perform } from "../../client/control.ts";
import type { Fault } from "../check.ts";
import { isRequest } from "../observed.ts";
import type { Place } from "../place.ts";
import type { WatchedRun } from "../watched-run.ts";
import { everyRecord } from "./company.ts";
import type { Program } from "./program.ts";
import { DAY, HOUR, type Known, type Step } from "./step.ts";

export interface Performing {
  place: Place;
  watched: WatchedRun;
  program: Program;
  /** Of the world's clock, in milliseconds. */
  began: number;
  days: number;
  /** The longest that a day takes, in real milliseconds, beside what is done in it. */
  dayMs: number;
  /** Whether to end where it is. */
  isOver(): boolean;
  dayDone(day: number): Promise<void>;
}

export interface Performed {
  business: Record<string, number>;
  refused: number;
  restarts: number;
}

/** The program rests when nothing has come for so long. */
const QUIET_MS = 60;
const RESTS_A_DAY = 4;
/** Weather that met nobody for a day is over. */
const LASTS = DAY;

export async function performAll(steps: readonly Step[], performing: Performing): Promise<Performed> {
  const { began, days, isOver, dayDone } = performing;
  const doer = doerOf(performing);
  const rest = (24 * HOUR) / RESTS_A_DAY;
  let next = 0;
  for (let at = rest; at <= days * DAY; at += rest) {
    for (; (steps[next]?.at ?? Number.POSITIVE_INFINITY) < at; next++) {
      if (isOver()) return doer.performed;
      await doer.does(steps[next] as Step);
    }
    await doer.advance(began + at);
    await atRest(performing, performing.dayMs / RESTS_A_DAY);
    if (isOver()) return doer.performed;
    if (at % DAY === 0) await dayDone(at / DAY);
  }
  return doer.performed;
}

/** Until the program is quiet, or as long as it may take. */
export async function atRest(
  { watched, isOver }: Pick<Performing, "watched" | "isOver">,
  mostMs: number,
): Promise<void> {
  const until = performance.now() + mostMs;
  const from = performance.now();
  do await pause(QUIET_MS / 3);
  while (
    !isOver() &&
    performance.now() < until &&
    (watched.quietFor() < QUIET_MS || performance.now() - from < QUIET_MS)
  );
}

function doerOf({ place, watched, program, began }: Performing) {
  const { control } = place;
  const performed: Performed = { business: {}, refused: 0, restarts: 0 };
  const answers = new Map<string, Readonly<Record<string, unknown>>>();
  const known: Known = (id) => answers.get(id);
  const armed: { until: number }[] = [];
  let now = began;
  const advance = async (to: number) => {
    if (to <= now) return;
    now = to;
    await dataOf(control.POST("/_sandbox/clock/advance", { body: { until: new Date(to).toISOString() } }));
  };
  const acts = async (row: string, name: string, input: object | undefined) => {
    const { data } = input ? await perform(control, name, input) : {};
    if (!data) performed.refused++;
    else performed.business[row] = (performed.business[row] ?? 0) + 1;
    const { id } = (input ?? {}) as { id?: string };
    if (data && id !== undefined) answers.set(id, data.result);
  };
  const arms = async (fault: Fault) => {
    const { faults } = await dataOf(control.GET("/_sandbox/faults"));
    const alive = faults.flatMap((each, nth) => {
      const until = armed[nth]?.until ?? 0;
      return each.left > 0 && until > now ? [{ each, until }] : [];
    });
    armed.splice(0, armed.length, ...alive.map(({ until }) => ({ until })), { until: now + LASTS });
    await dataOf(control.PUT("/_sandbox/faults", { body: { faults: [...alive.map(({ each }) => each), fault] } }));
  };
  const restarts = async (what: "stop" | "start") => {
    if (what === "stop") return program.stop();
    program.start();
    performed.restarts++;
  };
  const does = async ({ at, row, number, does }: Step) => {
    await advance(began + at);
    for (const each of does) {
      if ("act" in each) {
        await advance(began + at + (each.later ?? 0));
        await acts(row, each.act, each.input(known));
      } else if ("fault" in each) await arms(each.fault);
      else if ("own" in each) await acts(row, each.own, await ownInput(each.own, number));
      else if ("program" in each) await restarts(each.program);
    }
  };
  /** One of the bookings that the program has made. */
  const ownInput = async (name: string, number: number): Promise<object | undefined> => {
    const made = watched
      .entries()
      .flatMap((entry) =>
        isRequest(entry) ? entry.facts.flatMap(({ fact, id }) => (fact === "booking.created" ? [id] : [])) : [],
      );
    const booking_id = made[number % Math.max(1, made.length)];
    if (booking_id === undefined || name === "cancelBooking")
      return booking_id === undefined ? undefined : { booking_id };
    const params = { path: { collection: "bookings" as const, id: booking_id } };
    const { record } = await dataOf(control.GET("/_sandbox/records/{collection}/{id}", { params }));
    const events = (await everyRecord(control, "events")) as unknown as {
      id: string;
      state: string;
      experience_id: string;
      sessions: { starts_at: string }[];
    }[];
    const others = events.filter(
      ({ id, state, experience_id, sessions }) =>
        id !== record.event_id &&
        state === "ACTIVE" &&
        experience_id === record.experience_id &&
        Date.parse(sessions[0]?.starts_at ?? "") > now + DAY,
    );
    const event = others[number % Math.max(1, others.length)];
    return event && { booking_id, event_id: event.id };
  };
  return { performed, advance, does };
}
