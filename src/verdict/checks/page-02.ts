// PAGE-02: a list ends where `next` is absent or empty, and nowhere else.
import { type Check, type Drill, fail, notExercised, pass } from "../check.ts";
import { endedAlike, endingOf, endOf, hitIn, lostIn } from "../compare.ts";
import { type Observed, type RequestEntry, succeeded, told } from "../observed.ts";

const DRILLS: readonly { name: string; page: { short?: true; end?: "empty" | "absent" } }[] = [
  { name: "a short page with `next`", page: { short: true } },
  { name: "an empty `next` at the end", page: { end: "empty" } },
  { name: "no `next` at the end", page: { end: "absent" } },
];

export const page02: Check = {
  id: "PAGE-02",
  level: "must",
  title: "A list is read to its end",
  done: "Pages come with fewer items than asked for and a `next`; the last page has an empty `next`, or none.",
  rule: "An absent or empty `next` marks the last page; otherwise repeat the request with `cursor` set to exactly that value.",
  advice: "Go on while `next` is there and not empty. The number of items on a page says nothing.",
  explain: {
    happens:
      "A page has 93 of 100 items, because seven were filtered out. The program takes it for the last, and never sees the rest.",
    instead: "Ask `next`, and only `next`.",
    code: `let cursor = "";
do {
  const page = await get(\`/v1/bookings?\${new URLSearchParams(cursor ? { cursor } : {})}\`);
  keep(page.items);
  cursor = page.next ?? "";
} while (cursor !== "");`,
  },
  missing: (control) => (pagedIn(control) ? undefined : "the program reads no list beyond its first page"),
  drills: (control): Drill[] => {
    const operation = pagedIn(control) as string;
    const usual = usualEndOf(control, operation);
    return DRILLS.filter(({ page }) => page.end === undefined || page.end !== usual).map(({ name, page }) => ({
      ...{ name, shares: "answers" },
      faults: [{ operation, page, times: 100_000 }],
    }));
  },
  judge(observed, control, { name }) {
    const operation = pagedIn(control);
    const hit = hitIn(observed);
    if (hit.length === 0) return notExercised(`the program met no ${name}`);
    const evidence = [told(hit[0] as RequestEntry, `, with ${name}`), ...endOf(observed)];
    const unread = idsOf(control, operation).filter((id) => !idsOf(observed, operation).includes(id));
    if (unread.length > 0)
      return fail(`after ${name} it left out ${unread.length} items: ${unread.slice(0, 3).join(", ")} …`, evidence);
    const [begun, usual] = [observed, control].map((run) => listsOf(run, operation).filter(isFirst).length);
    if ((begun ?? 0) > 2 * (usual ?? 0))
      return fail(`at ${name} it began anew, and read the first page ${begun} times instead of ${usual}`, evidence);
    const lost = lostIn(observed, control).filter((each) => each !== operation);
    if (lost.length > 0 || !endedAlike(observed, control))
      return fail(
        `at ${name} it ended with ${endingOf(observed)}${lost.length > 0 ? `, without ${lost.join(", ")}` : ""}`,
        evidence,
      );
    return pass("it read every list to its end", evidence.slice(0, 1));
  },
};

const listsOf = ({ requests }: Observed, operation: string | undefined): RequestEntry[] =>
  requests.filter((each) => each.operation === operation && succeeded(each));

const isFirst = ({ request }: RequestEntry): boolean => !request?.query.cursor;

/** How the service ends a list by itself: that the control run has met. */
function usualEndOf(control: Observed, operation: string): "empty" | "absent" | undefined {
  const bodies = listsOf(control, operation).map(({ answer }) => (answer?.body ?? {}) as { next?: string });
  const last = bodies.find(({ next }) => !next);
  return last && (last.next === undefined ? "absent" : "empty");
}

/** The list of which the program reads more than a page. */
export function pagedIn({ requests }: Observed): string | undefined {
  const next = requests.find(({ operation, request }) => operation?.startsWith("list") && request?.query.cursor);
  return next?.operation ?? undefined;
}

export function idsOf(observed: Observed, operation: string | undefined): string[] {
  const items = listsOf(observed, operation).flatMap(
    ({ answer }) => (answer?.body as { items?: { id?: string }[] } | null)?.items ?? [],
  );
  return [...new Set(items.flatMap(({ id }) => id ?? []))];
}
