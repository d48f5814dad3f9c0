// How a program learns of changes, and what a day is to it.

import { unwrap } from "../../client/control.ts";
import { type Drill, type Judges, notExercised, pass, warn } from "../check.ts";
import { judgeHarm } from "../harm.ts";
import {
  arrivedAt,
  evidenceOf,
  grouped,
  keyInWorld,
  type Live,
  type Logged,
  listEvidence,
  type Observed,
  type RequestEntry,
  succeeded,
} from "../observed.ts";

/** Fewer of the same list are no polling. */
const FEWEST_LISTS = 6;

/** Closer together it is a loop that waits for something, and not a timer; one that waits for so long polls without rest. */
const SHORTEST_GAP_MS = 20;
const MOST_WAITED = 100;

/** How far a gap may be from the middle one. */
const STEADY = 0.4;

const HOUR = 3_600_000;

/** Two tours half an hour after midnight: one belongs to the day, one to the next; by UTC both may look wrong. */
const WANTED = "evt-verdict-after-midnight";
const STRANGE = "evt-verdict-next-day";

export const syncAndTime = {
  "SYNC-01": {
    lint(logged) {
      // A later page of a list is no new look.
      const lists = logged.requests.filter(
        ({ operation, request }) => operation?.startsWith("list") && !request?.query.cursor,
      );
      if (lists.length === 0) return notExercised("nothing was listed");
      const polled = [...grouped(lists, keyInWorld).values()].find(
        (group) => isSteady(group) && !isSubscribed(group, logged),
      );
      if (!polled) return pass("nothing was polled");
      const gap = Math.round(middle(gapsOf(polled)));
      const says = `${polled[0]?.operation} was polled ${polled.length} times, every ${gap} ms, and nothing is subscribed`;
      return warn(says, listEvidence(polled));
    },
  },

  "TIME-01": {
    missing: (control) => (dayIn(control) ? undefined : "no list of one day"),
    drills: (control): Drill[] => {
      const found = dayIn(control);
      return found ? [{ before: (world) => addEvents(world, found) }] : [];
    },
    judge(observed, control) {
      const found = dayIn(control);
      const list = observed.requests.find((each) => found && isDay(each) && middleOf(each) === middleOf(found));
      if (!list) return notExercised("the day was not listed");
      const text = JSON.stringify(list.answer?.body ?? null);
      const [wanted, strange] = [text.includes(WANTED), text.includes(STRANGE)];
      const { from, to } = list.request?.query ?? {};
      const evidence = [evidenceOf(list, `, from ${String(from)} to ${String(to)}`)];
      if (wanted && !strange) return pass("a day is listed as a local day", evidence);
      if (!wanted && !strange)
        return notExercised(
          "the list is of another experience, or a part of the day",
          "list a day without other filters",
        );
      const says = `the list of a day ${wanted ? "has" : "lacks"} the tour at 00:30 of that day, and has the one at 00:30 of the next`;
      return judgeHarm(says, evidence, findWrongDay(observed));
    },
  },
} satisfies Judges<"SYNC" | "TIME">;

/** The program may filter what it listed, so its own state decides. */
function findWrongDay({ probe }: Observed): string | undefined {
  const state = JSON.stringify(probe ?? null);
  return state.includes(STRANGE) && !state.includes(WANTED) ? "its own state has the wrong one of the two" : undefined;
}

const gapsOf = (requests: readonly RequestEntry[]): number[] =>
  requests.slice(1).map((request, at) => arrivedAt(request) - arrivedAt(requests[at] as RequestEntry));

const middle = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

function isSteady(requests: readonly RequestEntry[]): boolean {
  const gaps = gapsOf(requests);
  const median = middle(gaps);
  // Most gaps alike is a timer; a program that lists when it needs to is not steady.
  const near = gaps.filter((gap) => Math.abs(gap - median) <= STEADY * median);
  if (median < SHORTEST_GAP_MS) return requests.length >= MOST_WAITED;
  return requests.length >= FEWEST_LISTS && near.length >= FEWEST_LISTS - 1;
}

/** To a kind of the same resource: listBookings and v1.booking.created. */
function isSubscribed([first]: readonly RequestEntry[], { subscriptions }: Logged): boolean {
  const resource =
    /^list([A-Z][a-z]+)/
      .exec(first?.operation ?? "")?.[1]
      ?.toLowerCase()
      .replace(/ies$|s$/, "") ?? "";
  return subscriptions.some(({ event_types }) => String(event_types).includes(`.${resource}`));
}

const dayIn = ({ requests }: Observed): RequestEntry | undefined =>
  requests.find((each) => isDay(each) && succeeded(each));

/** From 23 to 25 hours: a day, also when clocks change. Local times begin it at midnight. */
function isDay({ operation, request }: RequestEntry): boolean {
  const { from, to } = request?.query ?? {};
  if (operation !== "listEvents" || typeof from !== "string" || typeof to !== "string") return false;
  const hours = (Date.parse(asInstant(to)) - Date.parse(asInstant(from))) / HOUR;
  return hours >= 23 && hours <= 25 && (isInstant(from) || from.includes("T00:00"));
}

const isInstant = (text: string): boolean => text.endsWith("Z");
const asInstant = (text: string): string => (isInstant(text) ? text : `${text}Z`);
const fromOf = ({ request }: RequestEntry): string => String(request?.query.from);
const dateOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** The date of the middle of the window, read as UTC: the same in every run. */
const middleOf = (list: RequestEntry): string => dateOf(Date.parse(asInstant(fromOf(list))) + 12 * HOUR);

/** `2030-06-01 09:30` on the wall of that zone. */
const wallAt = (instant: number, timeZone: string): string =>
  new Date(instant).toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });

const beginsDay = (from: string, timezone: string): boolean =>
  isInstant(from) && wallAt(Date.parse(from), timezone).endsWith(" 00:00");

/** The local day that is meant. */
function dayOf(list: RequestEntry, timezone: string): string {
  const from = fromOf(list);
  // A day of UTC is meant for the day of its name, wherever the tour is.
  if (!isInstant(from) || (beginsDay(from, "UTC") && !beginsDay(from, timezone))) return middleOf(list);
  return wallAt(Date.parse(from) + 12 * HOUR, timezone).slice(0, 10);
}

interface TourLocation {
  experience_id: string;
  location_id: string;
  timezone: string;
}

/** Where the tours are that are listed: of that experience, best in a zone where the window begins with a day. */
async function locationOf(list: RequestEntry, control: Live["control"]): Promise<TourLocation | undefined> {
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
  return locations.find(({ timezone }) => beginsDay(fromOf(list), timezone)) ?? locations[0];
}

async function addEvents({ control }: Pick<Live, "control">, list: RequestEntry): Promise<undefined> {
  const location = await locationOf(list, control);
  if (!location) return;
  const { experience_id, location_id, timezone } = location;
  const day = dayOf(list, timezone);
  const next = dateOf(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR);
  for (const [id, date] of Object.entries({ [WANTED]: day, [STRANGE]: next })) {
    const sessions = [{ start_time: `${date}T00:30:00`, end_time: `${date}T01:30:00`, location_id, timezone }];
    await unwrap(control.POST("/_sandbox/acts/createEvent", { body: { id, experience_id, sessions, capacity: 10 } }));
  }
}
