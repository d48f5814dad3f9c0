// How a program learns of changes, and what a day is to it.

import { dataOf } from "../../client/control.ts";
import { type Drill, fail, type Judges, notExercised, pass, warn } from "../check.ts";
import {
  arrivedAt,
  evidenceOf,
  grouped,
  type Live,
  type Logged,
  type Observed,
  type RequestEntry,
  sameKey,
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
const [WANTED, STRANGE] = ["evt-verdict-after-midnight", "evt-verdict-next-day"];

export const syncAndTime = {
  "SYNC-01": {
    lint(logged) {
      // A later page of a list is no new look.
      const lists = logged.requests.filter(
        ({ operation, request }) => operation?.startsWith("list") && !request?.query.cursor,
      );
      if (lists.length === 0) return notExercised("nothing was listed");
      const polled = [...grouped(lists, sameKey).values()].find(
        (group) => isSteady(group) && !isSubscribed(group, logged),
      );
      if (!polled) return pass("nothing was polled");
      const gap = Math.round(middle(gapsOf(polled)));
      const says = `${polled[0]?.operation} was polled ${polled.length} times, every ${gap} ms, and nothing is subscribed`;
      return warn(
        says,
        polled.slice(0, 3).map((each) => evidenceOf(each)),
      );
    },
  },

  "TIME-01": {
    missing: (control) => (dayIn(control) ? undefined : "no list of one day"),
    drills: (control): Drill[] => {
      const found = dayIn(control);
      return found ? [{ before: (world) => addEvents(world, found.day) }] : [];
    },
    judge(observed, control) {
      const day = dayIn(control)?.day;
      const list = observed.requests.find((each) => isDay(each) && dayOf(each) === day);
      if (!list) return notExercised("the day was not listed");
      const text = JSON.stringify(list.answer?.body ?? null);
      const [wanted, strange] = [text.includes(WANTED as string), text.includes(STRANGE as string)];
      const { from, to } = list.request?.query ?? {};
      const evidence = [evidenceOf(list, `, from ${String(from)} to ${String(to)}`)];
      if (wanted && !strange) return pass("a day is listed as a local day", evidence);
      if (!wanted && !strange)
        return notExercised(
          "the list is of another experience, or a part of the day",
          "list a day without other filters",
        );
      const says = `the list of ${day} ${wanted ? "has" : "lacks"} the tour at 00:30 of that day, and has the one at 00:30 of the next`;
      return fail(says, evidence);
    },
  },
} satisfies Judges<"SYNC" | "TIME">;

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

function dayIn({ requests }: Observed): { day: string; request: RequestEntry } | undefined {
  const request = requests.find((each) => isDay(each) && succeeded(each));
  return request && { day: dayOf(request), request };
}

/** From 23 to 25 hours: a day, also when clocks change. */
function isDay({ operation, request }: RequestEntry): boolean {
  const { from, to } = request?.query ?? {};
  if (operation !== "listEvents" || typeof from !== "string" || typeof to !== "string") return false;
  const hours = (Date.parse(asInstant(to)) - Date.parse(asInstant(from))) / HOUR;
  return hours >= 23 && hours <= 25;
}

const asInstant = (text: string): string => (/Z$/.test(text) ? text : `${text}Z`);

/** The day that is meant: that of the middle of the window. */
const dayOf = ({ request }: RequestEntry): string =>
  new Date(Date.parse(asInstant(String(request?.query.from))) + 12 * HOUR).toISOString().slice(0, 10);

async function addEvents({ control }: Pick<Live, "control">, day: string): Promise<undefined> {
  const { items } = await dataOf(
    control.GET("/_sandbox/records/{collection}", { params: { path: { collection: "events" } } }),
  );
  const experience_id = String(items.find(({ state }) => state === "ACTIVE")?.experience_id);
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR).toISOString().slice(0, 10);
  for (const [id, date] of [
    [WANTED, day],
    [STRANGE, next],
  ] as const) {
    const sessions = [{ start_time: `${date}T00:30:00`, end_time: `${date}T01:30:00` }];
    await dataOf(
      control.POST("/_sandbox/acts/createEvent", { body: { id: id as string, experience_id, sessions, capacity: 10 } }),
    );
  }
}
