// The clock of a world: shown, set, held, run, advanced. The answer comes after everything due has settled.
import {
  after,
  type Instant,
  isBeyondTime,
  isDuration,
  LAST_INSTANT,
  readInstant,
} from "../../domain/kernel/instant.ts";
import { HttpError } from "../errors.ts";
import { chosenWorld, type Handlers, ok } from "./handler.ts";

/** No clock goes further than this ahead in one move. */
const FURTHEST = "P10Y";

function target(now: Instant, { by, until, to }: { by?: string; until?: string; to?: string }): Instant | "next" {
  if (to !== undefined) return "next";
  const wanted = by === undefined ? instantAt("body.until", until ?? "") : laterBy(now, by);
  mustBeAhead(now, wanted);
  return wanted;
}

function instantAt(place: string, text: string): Instant {
  const instant = readInstant(text);
  if (instant !== undefined) return instant;
  const message = `${place} is ${text.slice(0, 60)}, which is not an instant of the years 0000 to 9999, such as 2030-06-01T09:00:00Z.`;
  throw new HttpError(400, message);
}

function laterBy(now: Instant, by: string): Instant {
  if (!isDuration(by))
    throw new HttpError(400, `body.by is ${by.slice(0, 60)}, which is not an ISO 8601 duration such as P3D.`);
  if (!isBeyondTime(now, by)) return after(now, by);
  const message = `body.by is ${by.slice(0, 60)}, and from ${now} that is further than ${LAST_INSTANT}, where every clock ends. Advance by less, and by at most ${FURTHEST} at a time.`;
  throw new HttpError(400, message);
}

export function mustBeAhead(now: Instant, wanted: Instant): void {
  if (wanted < now) {
    const message = `It is ${now} now; a clock does not go back to ${wanted}. Restore a snapshot taken before, or fork a world at an earlier clock.`;
    throw new HttpError(409, message, { code: "CLOCK_NOT_BACKWARDS" });
  }
  if (wanted > after(now, FURTHEST))
    throw new HttpError(400, `${wanted} is more than ${FURTHEST} ahead of ${now}. Go in smaller steps.`);
}

export const clock: Handlers = {
  getClock(asked) {
    const world = chosenWorld(asked);
    return ok({ now: asked.application.now(world), mode: asked.application.clock.show(world).mode });
  },
  async setClock(asked) {
    const world = chosenWorld(asked);
    const { now, mode } = asked.body as { now?: string; mode?: "held" | "running" };
    const instant = now === undefined ? undefined : instantAt("body.now", now);
    if (instant !== undefined) mustBeAhead(asked.application.now(world), instant);
    const receipt = await asked.application.clock.set(world, {
      ...(instant === undefined ? {} : { now: instant }),
      ...(mode ? { mode } : {}),
    });
    return ok({ now: asked.application.now(world), mode: asked.application.clock.show(world).mode, receipt });
  },
  async advanceClock(asked) {
    const world = chosenWorld(asked);
    const body = asked.body as { by?: string; until?: string; to?: string; dry_run?: boolean };
    const until = target(asked.application.now(world), body);
    const { now, receipt } = await asked.application.clock.advance(world, until, body.dry_run ?? false);
    return ok({ now, receipt });
  },
};
