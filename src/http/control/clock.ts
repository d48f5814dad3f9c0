// The clock of a world: shown, set, held, run, advanced. The answer comes after everything due has settled.
import { after, type Instant, isDuration, readInstant, toMillis } from "../../domain/instant.ts";
import { HttpError } from "../errors.ts";
import { chosenWorld, type Handlers, ok } from "./handler.ts";

/** No clock goes further than this ahead in one move. */
const FURTHEST = "P10Y";

function target(now: Instant, { by, until, to }: { by?: string; until?: string; to?: string }): Instant | "next" {
  if (to !== undefined) return "next";
  if (by !== undefined && !isDuration(by))
    throw new HttpError(400, `body.by is ${by.slice(0, 60)}, which is not an ISO 8601 duration such as P3D.`);
  const wanted = by === undefined ? readInstant(until ?? "") : laterBy(now, by);
  if (wanted === undefined)
    throw new HttpError(
      400,
      `body.until is ${String(until).slice(0, 60)}, which is not an instant such as 2030-06-01T09:00:00Z.`,
    );
  mustBeAhead(now, wanted);
  return wanted;
}

function laterBy(now: Instant, by: string): Instant | undefined {
  try {
    return after(now, by);
  } catch {
    throw new HttpError(
      400,
      `body.by is ${by.slice(0, 60)}, further than a clock can go. Advance by at most ${FURTHEST}.`,
    );
  }
}

export function mustBeAhead(now: Instant, wanted: Instant): void {
  // Beyond the year 9999 they would not compare as text.
  if (toMillis(wanted) < toMillis(now)) {
    const message = `It is ${now} now; a clock does not go back to ${wanted}. Restore a snapshot taken before, or fork a world at an earlier clock.`;
    throw new HttpError(409, message, { code: "CLOCK_NOT_BACKWARDS" });
  }
  if (toMillis(wanted) > toMillis(after(now, FURTHEST)))
    throw new HttpError(400, `${wanted} is more than ${FURTHEST} ahead of ${now}. Go in smaller steps.`);
}

export const clock: Handlers = {
  getClock(asked) {
    const world = chosenWorld(asked);
    return ok({ now: asked.house.now(world), mode: asked.house.clock.show(world).mode });
  },
  async setClock(asked) {
    const world = chosenWorld(asked);
    const { now, mode } = asked.body as { now?: string; mode?: "held" | "running" };
    const instant = now === undefined ? undefined : readInstant(now);
    if (instant !== undefined) mustBeAhead(asked.house.now(world), instant);
    const receipt = await asked.house.clock.set(world, {
      ...(instant === undefined ? {} : { now: instant }),
      ...(mode ? { mode } : {}),
    });
    return ok({ now: asked.house.now(world), mode: asked.house.clock.show(world).mode, receipt });
  },
  async advanceClock(asked) {
    const world = chosenWorld(asked);
    const body = asked.body as { by?: string; until?: string; to?: string; dry_run?: boolean };
    const until = target(asked.house.now(world), body);
    const { now, receipt } = await asked.house.clock.advance(world, until, body.dry_run ?? false);
    return ok({ now, receipt });
  },
};
