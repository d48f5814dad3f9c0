// Shows the events of a world on some days, and the slots in which events could take place.

import type { RequestsPort, WorldsPort } from "../../app/application.ts";
import { getCompanyZone } from "../../domain/catalogue/location.ts";
import { showCalendar as calendarOf } from "../../domain/event/calendar.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { countDays, getWeekday, shiftLocal, toLocal } from "../../domain/kernel/instant.ts";
import { defineHandlers, ok, readZone } from "./handler.ts";

/** Slots may begin every five minutes, so the list has a limit. */
const MAX_DAYS = 35;
const WEEK = 7;

const findMonday = (local: string): string => shiftLocal(local, 1 - getWeekday(local)).slice(0, 10);

export const calendar = defineHandlers<RequestsPort & WorldsPort>()({
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
