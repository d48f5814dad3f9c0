// TIME-01: a day is a day where the tour is.
import { dataOf } from "../../client/control.ts";
import { type Check, type Drill, fail, notExercised, pass } from "../check.ts";
import type { Live, Observed, RequestEntry } from "../observed.ts";
import { succeeded, told } from "../observed.ts";

const HOUR = 3_600_000;
const [WANTED, STRANGE] = ["evt-verdict-after-midnight", "evt-verdict-next-day"];

export const time01: Check = {
  id: "TIME-01",
  level: "must",
  title: "A day is a day where the tour is",
  done: "The host adds an event half an hour after local midnight, on the day that the program lists and on the next.",
  rule: "Session times are local date-times without an offset and are read in the `timezone` beside them.",
  advice: "Ask for a day with local times, without `Z`: from 00:00:00 of the day to 00:00:00 of the next.",
  explain: {
    happens:
      "The shop lists “today” from midnight to midnight in UTC. In Copenhagen the first two hours of the day are missing, and two of tomorrow's are there; in New York it is worse.",
    instead:
      "Local times without an offset are read in the zone of each session, also in the nights when clocks change.",
    code: "const query = new URLSearchParams({ from: `$" + "{day}T00:00:00`, to: `$" + "{nextDay}T00:00:00` });",
  },
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
    const evidence = [told(list, `, from ${String(from)} to ${String(to)}`)];
    if (wanted && !strange) return pass("a day is listed as a local day", evidence);
    if (!wanted && !strange)
      return notExercised(
        "the list is of another experience, or a part of the day",
        "list a day without other filters",
      );
    const says = `the list of ${day} ${wanted ? "has" : "lacks"} the tour at 00:30 of that day, and has the one at 00:30 of the next`;
    return fail(says, evidence);
  },
};

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
