// What takes place in a world on some days, and what could.

import type { RequestsPort, WorldsPort } from "../../app/application.ts";
import { zoneOfCompany } from "../../domain/catalogue/location.ts";
import { calendar as calendarOf } from "../../domain/event/calendar.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { daysBetween, instantToLocal, shiftLocal, weekday } from "../../domain/kernel/instant.ts";
import { handlersWith, ok } from "./handler.ts";
import { zoneIn } from "./zone-in.ts";

/** A list of slots every five minutes has an end. */
const MOST_DAYS = 35;
const WEEK = 7;

const mondayOf = (local: string): string => shiftLocal(local, 1 - weekday(local)).slice(0, 10);

export const calendar = handlersWith<RequestsPort & WorldsPort>()({
  readCalendar({ application, query, world }) {
    const zone = zoneIn("query.zone", query.zone);
    return ok(
      application.read(world, (tx) => {
        const home = zone ?? zoneOfCompany(tx.company.get("company"));
        // The week of now.
        const from = query.from ?? mondayOf(instantToLocal(tx.now, home));
        const to = query.to ?? shiftLocal(`${from}T00:00:00`, WEEK).slice(0, 10);
        // Zero or less where `to` is not after `from`.
        const days = daysBetween(from, to);
        if (days > 0 && days <= MOST_DAYS) return calendarOf(tx, { from, to, ...(zone && { zone }) });
        return reject("INVALID_INPUT", {
          path: "query.to",
          what: `${from} to ${to} are ${days} days. Ask for 1 to ${MOST_DAYS}, and name the day after the last.`,
        });
      }),
    );
  },
});
