// Shows, sets, holds, runs and advances the clock of a world, and shows the calendar of its events. The response to a
// move is sent after all due work.
import { optional } from "../../../platform/optional.ts";
import type { ClockTarget } from "../../app/application.ts";
import { getCompanyZone } from "../../domain/catalogue/location.ts";
import { showCalendar as calendarOf } from "../../domain/event/calendar.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { countMove } from "../../domain/kernel/facts.ts";
import {
  after,
  countDays,
  getWeekday,
  type Instant,
  isBeyondTime,
  isDuration,
  LAST_INSTANT,
  MAX_MOVE,
  readInstant,
  shiftLocal,
  toLocal,
} from "../../domain/kernel/instant.ts";
import type { Cause } from "../../world/state/commit.ts";
import { HttpError } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { defineHandlers, ok, type Requested, readZone } from "./handler.ts";

/** Reads the target of a move. Malformed values are rejected immediately, and the distance once earlier moves have ended. */
function readTarget({ by, until, to }: Requested<"advanceClock">["body"]): ClockTarget | "next" {
  // The specification has only this value.
  if (to !== undefined) return "next";
  // The specification requires one of them.
  return by === undefined ? readInstantTarget("body.until", until ?? "") : readDurationTarget(by);
}

function readInstantTarget(path: string, text: string): ClockTarget {
  const instant = readInstant(text);
  if (instant !== undefined) return (now) => assertAhead(now, instant);
  const what = `${text.slice(0, 60)} is not an instant of the years 0000 to 9999, such as 2030-06-01T09:00:00Z.`;
  return rejectInput(path, what);
}

function readDurationTarget(by: string): ClockTarget {
  // The format of JSON Schema has no fractions, so the schema does not check it.
  if (!isDuration(by) || by.startsWith("-"))
    return rejectInput("body.by", `${by.slice(0, 60)} is not an ISO 8601 duration such as P3D or PT0.5S.`);
  return (now) => {
    // Checked before the addition, because there is no date beyond the last year.
    if (!isBeyondTime(now, by)) return assertAhead(now, after(now, by));
    const what = `${by.slice(0, 60)} after ${now} is later than ${LAST_INSTANT}, where every clock ends. Advance by less, and by at most ${MAX_MOVE} at a time.`;
    return rejectInput("body.by", what);
  };
}

const toRequestCause = ({ id }: Exchange): Cause => ({ kind: "request", id });

function assertAhead(now: Instant, wanted: Instant): Instant {
  if (wanted < now) {
    const message = `It is ${now} now; a clock does not go back to ${wanted}. To go back, run \`sandbox rewind ${wanted.replace(".000Z", "Z")}\`.`;
    throw new HttpError(409, message, { code: "CLOCK_NOT_BACKWARDS" });
  }
  // A longer move could have too much due work.
  if (wanted > after(now, MAX_MOVE))
    throw new HttpError(400, `${wanted} is more than ${MAX_MOVE} ahead of ${now}. Go in smaller steps.`);
  return wanted;
}

/** Forecasts a move. Without a target the clock doesn't move. */
async function forecastSet(requested: Requested<"setClock">, to: ClockTarget | undefined) {
  const { application, body, world } = requested;
  const mode = body.mode ?? application.clock.show(world).mode;
  if (to === undefined) return { now: application.now(world), mode, counts: countMove([]), receipt: [] };
  return { ...(await application.clock.forecast(world, to)), mode };
}

export const clock = defineHandlers({
  getClock({ application, world }) {
    return ok({ now: application.now(world), mode: application.clock.show(world).mode });
  },
  async setClock(requested) {
    const { application, body, world } = requested;
    const to = body.now === undefined ? undefined : readInstantTarget("body.now", body.now);
    if (body.dry_run) return ok(await forecastSet(requested, to));
    const change = optional({ to, mode: body.mode });
    const done = await application.clock.set(world, change, toRequestCause(requested.exchange));
    return ok({ ...done, mode: application.clock.show(world).mode });
  },
  async advanceClock(requested) {
    const { application, body, world } = requested;
    const to = readTarget(body);
    if (body.dry_run) return ok(await application.clock.forecast(world, to));
    return ok(await application.clock.set(world, { to }, toRequestCause(requested.exchange)));
  },
  readCalendar({ application, query, world }) {
    const zone = readZone("query.zone", query.zone);
    return ok(
      application.read(world, (tx) => {
        const home = zone ?? getCompanyZone(tx.company.get("company"));
        // The default is the current week.
        const from = query.from ?? findMonday(toLocal(tx.now, home));
        const to = query.to ?? shiftLocal(`${from}T00:00:00`, WEEK).slice(0, 10);
        // The number is zero or negative if `to` is not after `from`.
        const days = countDays(from, to);
        if (days > 0 && days <= MAX_DAYS) return calendarOf(tx, { from, to, ...(zone && { zone }) });
        const what = `${from} to ${to} are ${days} days. Request 1 to ${MAX_DAYS} days; \`to\` is the day after the last.`;
        return rejectInput("query.to", what);
      }),
    );
  },
});

/** Slots may begin every five minutes, so the list has a limit. */
const MAX_DAYS = 35;
const WEEK = 7;

const findMonday = (local: string): string => shiftLocal(local, 1 - getWeekday(local)).slice(0, 10);
