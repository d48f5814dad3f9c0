// Checks how a program learns of changes, how it determines a day, and in which language it requests texts.
import { unwrap } from "../../client/control.ts";
import { findMedian, isSteady, measureGaps } from "../back-off.ts";
import type { Drill, Judges } from "../check.ts";
import { judgeHarm, notExercised, pass, warn } from "../judgement.ts";
import * as log from "../observed.ts";

/**
 * Shorter intervals are a loop that waits for a change, and no timer. A loop with this many reads polls without a
 * pause.
 */
const MIN_INTERVAL_MS = 20;
const MIN_LOOP_READS = 100;

const HOUR = 3_600_000;

/** Both tours start at 00:30: one belongs to the day, one to the next. A program that uses UTC confuses them. */
const EXPECTED_TOUR = "evt-verdict-after-midnight";
const UNEXPECTED_TOUR = "evt-verdict-next-day";

export const syncAndTime = {
  "SYNC-01": {
    lint(logged) {
      // Later pages of a list don't count.
      const lists = logged.requests.filter(
        ({ operation, request }) => operation?.startsWith("list") && !request?.query.cursor,
      );
      if (lists.length === 0) return notExercised("nothing was listed");
      const polled = [...log.groupBy(lists, log.toKeyInWorld).values()].find(
        (group) => isPolled(group) && !isSubscribed(group, logged),
      );
      if (!polled) return pass("nothing was polled");
      const gap = Math.round(findMedian(measureGaps(polled)));
      const says = `${polled[0]?.operation} was polled ${polled.length} times, every ${gap} ms, and nothing is subscribed`;
      return warn(says, log.listEvidence(polled));
    },
  },

  "TIME-01": {
    missing: (control) => (findDay(control) ? undefined : "no list of one day"),
    drills: (control): Drill[] => {
      const found = findDay(control);
      return found ? [{ before: (world) => addEvents(world, found) }] : [];
    },
    judge(run) {
      const { observed, control } = run;
      const found = findDay(control);
      const list = observed.requests.find(
        (each) => found && isDay(each) && findMiddleDate(each) === findMiddleDate(found),
      );
      if (!list) return notExercised("the day was not listed");
      const text = JSON.stringify(list.answer?.body ?? null);
      const [wanted, strange] = [text.includes(EXPECTED_TOUR), text.includes(UNEXPECTED_TOUR)];
      const { from, to } = list.request?.query ?? {};
      const evidence = [log.toEvidence(list, `, from ${String(from)} to ${String(to)}`)];
      if (wanted && !strange) return pass("a day is listed as a local day", evidence);
      if (!wanted && !strange)
        return notExercised(
          "the list is of another experience, or a part of the day",
          "list a day without other filters",
        );
      const says = `the list of a day ${wanted ? "has" : "lacks"} the tour at 00:30 of that day, and has the one at 00:30 of the next`;
      // The program may want 24 hours from another hour on.
      const isWholeDay = !isInstant(String(from)) || isDayStart(String(from), "UTC");
      return judgeHarm(says, evidence, isWholeDay ? findWrongDay(observed) : undefined);
    },
  },

  "LANG-01": {
    lint({ requests, service }) {
      const calls = requests.filter((each) => service.needsLanguage.has(each.operation ?? "") && !log.isInjected(each));
      if (calls.length === 0) return notExercised("no request for an operation with texts");
      const bare = calls.filter((each) => each.status === 400 && readLanguage(each) === "");
      if (bare.length > 0)
        return warn(`requests without Accept-Language were rejected: ${bare.length}`, log.listEvidence(bare));
      const unmatched = calls.filter(({ status }) => status === 406);
      const looped = [...log.groupBy(unmatched, log.toKeyInWorld).values()].find(({ length }) => length > 1);
      if (looped)
        return warn("a request rejected with 406 was repeated in the same language", log.listEvidence(looped));
      // `fetch` of Node sends a star by default.
      const any = calls.filter((each) => readLanguage(each) === "*");
      if (any.length === calls.length)
        return warn("only `*` was requested, which HTTP libraries send by default", log.listEvidence(any));
      return pass("texts are requested in a language");
    },
  },
} satisfies Judges<"SYNC" | "TIME" | "LANG">;

const readLanguage = ({ request }: log.RequestEntry): string =>
  String(request?.headers["accept-language"] ?? "").trim();

/** The program may filter what it listed, so its own state decides. */
function findWrongDay({ probe }: log.Observed): string | undefined {
  const state = JSON.stringify(probe ?? null);
  const isWrong = state.includes(UNEXPECTED_TOUR) && !state.includes(EXPECTED_TOUR);
  return isWrong ? "its own state has the tour of the next day instead" : undefined;
}

function isPolled(requests: readonly log.RequestEntry[]): boolean {
  const gaps = measureGaps(requests);
  return findMedian(gaps) < MIN_INTERVAL_MS ? requests.length >= MIN_LOOP_READS : isSteady(gaps);
}

/** The program subscribes to the same resource, such as v1.booking.created for listBookings. */
function isSubscribed([first]: readonly log.RequestEntry[], { subscriptions }: log.Logged): boolean {
  const resource =
    /^list([A-Z][a-z]+)/
      .exec(first?.operation ?? "")?.[1]
      ?.toLowerCase()
      .replace(/ies$|s$/, "") ?? "";
  return subscriptions.some(({ event_types }) => String(event_types).includes(`.${resource}`));
}

const findDay = ({ requests }: log.Observed): log.RequestEntry | undefined =>
  requests.find((each) => isDay(each) && log.isSuccess(each));

/** The window has 23 to 25 hours, because clocks may change. A window in local time starts at midnight. */
function isDay({ operation, request }: log.RequestEntry): boolean {
  const { from, to } = request?.query ?? {};
  if (operation !== "listEvents" || typeof from !== "string" || typeof to !== "string") return false;
  const hours = (Date.parse(toInstant(to)) - Date.parse(toInstant(from))) / HOUR;
  return hours >= 23 && hours <= 25 && (isInstant(from) || from.includes("T00:00"));
}

const isInstant = (text: string): boolean => text.endsWith("Z");
const toInstant = (text: string): string => (isInstant(text) ? text : `${text}Z`);
const readStart = ({ request }: log.RequestEntry): string => String(request?.query.from);
const formatDate = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** Returns the date of the middle of the window by UTC, which is the same in every run. */
const findMiddleDate = (list: log.RequestEntry): string =>
  formatDate(Date.parse(toInstant(readStart(list))) + 12 * HOUR);

/** Formats `2030-06-01 09:30` in the time zone. */
const formatLocalTime = (instant: number, timeZone: string): string =>
  new Date(instant).toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });

const isDayStart = (from: string, timezone: string): boolean =>
  isInstant(from) && formatLocalTime(Date.parse(from), timezone).endsWith(" 00:00");

/** Finds the local day that the program probably means. */
function findLocalDay(list: log.RequestEntry, timezone: string): string {
  const from = readStart(list);
  // A day of UTC probably means the local day with the same date.
  if (!isInstant(from) || (isDayStart(from, "UTC") && !isDayStart(from, timezone))) return findMiddleDate(list);
  return formatLocalTime(Date.parse(from) + 12 * HOUR, timezone).slice(0, 10);
}

interface TourLocation {
  experience_id: string;
  location_id: string;
  timezone: string;
}

/** Finds a location of the listed tours, preferably in a time zone in which the window starts with a day. */
async function findLocation(list: log.RequestEntry, control: log.Live["control"]): Promise<TourLocation | undefined> {
  const query = { where: ["state=ACTIVE"] };
  const [experiences, events] = await Promise.all(
    (["experiences", "events"] as const).map((collection) =>
      unwrap(control.GET("/_sandbox/records/{collection}", { params: { path: { collection }, query } })),
    ),
  );
  const wanted = list.request?.query.experience_id;
  const open = new Set(experiences?.items.map(({ id }) => id).filter((id) => !wanted || id === wanted));
  const locations = (events?.items ?? []).flatMap(({ experience_id, sessions }) =>
    open.has(experience_id as string) ? (sessions as TourLocation[]).map((each) => ({ ...each, experience_id })) : [],
  ) as TourLocation[];
  return locations.find(({ timezone }) => isDayStart(readStart(list), timezone)) ?? locations[0];
}

async function addEvents({ control }: Pick<log.Live, "control">, list: log.RequestEntry): Promise<undefined> {
  const location = await findLocation(list, control);
  if (!location) return;
  const { experience_id, location_id, timezone } = location;
  const day = findLocalDay(list, timezone);
  const next = formatDate(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR);
  for (const [id, date] of Object.entries({ [EXPECTED_TOUR]: day, [UNEXPECTED_TOUR]: next })) {
    const sessions = [{ start_time: `${date}T00:30:00`, end_time: `${date}T01:30:00`, location_id, timezone }];
    await unwrap(control.POST("/_sandbox/acts/createEvent", { body: { id, experience_id, sessions, capacity: 10 } }));
  }
}
