// The clock of a world: shown, set, held, run, advanced. The answer is sent when everything due is done.
import type { ClockTarget, TimePort, WorldsPort } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { countMove } from "../../domain/kernel/facts.ts";
import {
  after,
  FURTHEST,
  type Instant,
  isBeyondTime,
  isDuration,
  LAST_INSTANT,
  readInstant,
} from "../../domain/kernel/instant.ts";
import type { Cause } from "../../world/state/commit.ts";
import { HttpError } from "../errors.ts";
import { handlersWith, ok, type Requested } from "./handler.ts";

/** What is wrong in itself is refused at once; how far it is, once the moves before have ended. */
function targetOf({ by, until, to }: Requested<"advanceClock">["body"]): ClockTarget | "next" {
  // The specification knows only this one value.
  if (to !== undefined) return "next";
  // The specification has seen to it that one of them is there.
  return by === undefined ? ahead("body.until", until ?? "") : laterBy(by);
}

/** An instant of the body. */
function ahead(path: string, text: string): ClockTarget {
  const instant = readInstant(text);
  if (instant !== undefined) return (now) => mustBeAhead(now, instant);
  const what = `${text.slice(0, 60)} is not an instant of the years 0000 to 9999, such as 2030-06-01T09:00:00Z.`;
  return reject("INVALID_INPUT", { path, what });
}

/** Checked before it is added, since no date can be made beyond the last year. */
function laterBy(by: string): ClockTarget {
  // The format of JSON Schema has no fractions, so the schema leaves the check to this function.
  if (!isDuration(by) || by.startsWith("-")) {
    const what = `${by.slice(0, 60)} is not an ISO 8601 duration such as P3D or PT0.5S.`;
    return reject("INVALID_INPUT", { path: "body.by", what });
  }
  return (now) => {
    if (!isBeyondTime(now, by)) return mustBeAhead(now, after(now, by));
    const what = `${by.slice(0, 60)} after ${now} is later than ${LAST_INSTANT}, where every clock ends. Advance by less, and by at most ${FURTHEST} at a time.`;
    return reject("INVALID_INPUT", { path: "body.by", what });
  };
}

const causeOf = ({ exchange }: Pick<Requested<"setClock">, "exchange">): Cause => ({
  kind: "request",
  id: exchange.id,
});

function mustBeAhead(now: Instant, wanted: Instant): Instant {
  if (wanted < now) {
    const message = `It is ${now} now; a clock does not go back to ${wanted}. To go back, run \`sandbox rewind ${wanted.replace(".000Z", "Z")}\`.`;
    throw new HttpError(409, message, { code: "CLOCK_NOT_BACKWARDS" });
  }
  // All that is due on the way is done, which takes long.
  if (wanted > after(now, FURTHEST))
    throw new HttpError(400, `${wanted} is more than ${FURTHEST} ahead of ${now}. Go in smaller steps.`);
  return wanted;
}

/** Holding and running move nothing by themselves. */
async function forecastSet(requested: Requested<"setClock", TimePort & WorldsPort>, to: ClockTarget | undefined) {
  const { application, body, world } = requested;
  const mode = body.mode ?? application.clock.show(world).mode;
  if (to === undefined) return { now: application.now(world), mode, counts: countMove([]), receipt: [] };
  const forecast = await application.clock.advance(world, to, true, causeOf(requested));
  return { ...forecast, mode };
}

export const clock = handlersWith<TimePort & WorldsPort>()({
  getClock({ application, world }) {
    return ok({ now: application.now(world), mode: application.clock.show(world).mode });
  },
  async setClock(requested) {
    const { application, body, world } = requested;
    const to = body.now === undefined ? undefined : ahead("body.now", body.now);
    if (body.dry_run) return ok(await forecastSet(requested, to));
    const change = { ...(to ? { to } : {}), ...(body.mode ? { mode: body.mode } : {}) };
    const done = await application.clock.set(world, change, causeOf(requested));
    return ok({ ...done, now: application.now(world), mode: application.clock.show(world).mode });
  },
  async advanceClock(requested) {
    const { application, body, world } = requested;
    const dryRun = body.dry_run ?? false;
    return ok(await application.clock.advance(world, targetOf(body), dryRun, causeOf(requested)));
  },
});
