// How a program reads a list to its end.
import { type Drill, fail, type Judges, notExercised, pass, warn } from "../check.ts";
import { endedAlike, endingOf, endOf, hitIn, lostIn } from "../compare.ts";
import { isInjected, type Observed, type RequestEntry, succeeded, told } from "../observed.ts";

const DRILLS: readonly { name: string; page: { short?: true; end?: "empty" | "absent" } }[] = [
  { name: "a short page with `next`", page: { short: true } },
  { name: "an empty `next` at the end", page: { end: "empty" } },
  { name: "no `next` at the end", page: { end: "absent" } },
];

/** So many times as many pages as usual are no reading any more. */
const LOOP = 5;

const noSecondPage = (control: Observed): string | undefined =>
  pagedIn(control) ? undefined : "the program reads no list beyond its first page";

export const paging: Judges<"PAGE"> = {
  "PAGE-01": {
    judge(observed) {
      const issued = new Set<string>();
      const [strange, used]: RequestEntry[][] = [[], []];
      for (const request of observed.requests) {
        const cursor = request.request?.query.cursor;
        if (typeof cursor === "string" && cursor !== "") (issued.has(cursor) ? used : strange)?.push(request);
        const { next } = (request.answer?.body ?? {}) as { next?: unknown };
        if (typeof next === "string") issued.add(next);
      }
      if (strange && strange.length > 0)
        return fail(
          "a cursor was sent that no page had issued",
          strange
            .slice(0, 5)
            .map((each) => told(each, `, cursor of ${String(each.request?.query.cursor).length} characters`)),
        );
      const pages = observed.requests.some(
        (each) => !isInjected(each) && (each.answer?.body as { next?: string } | null)?.next,
      );
      return used && used.length > 0
        ? pass("every cursor was used as it came")
        : notExercised(pages ? "no page after the first was read" : "no list had a second page");
    },
  },

  "PAGE-02": {
    missing: noSecondPage,
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
  },

  "PAGE-03": {
    missing: noSecondPage,
    drills: (control) => [{ faults: [{ operation: pagedIn(control) as string, page: { change: true }, times: 3 }] }],
    judge(observed, control) {
      const operation = pagedIn(control);
      const [hit] = hitIn(observed);
      if (!hit) return notExercised("no page was read");
      const pages = ({ requests }: typeof observed) => requests.filter((each) => each.operation === operation).length;
      const evidence = [told(hit, ", records changed after it"), ...endOf(observed)];
      if (pages(observed) > LOOP * pages(control))
        return warn(`it read ${pages(observed)} pages instead of ${pages(control)}`, evidence);
      const lost = lostIn(observed, control).filter((each) => each !== operation);
      if (lost.length > 0 || !endedAlike(observed, control))
        return warn(`when the list changed it ended with ${endingOf(observed)}`, evidence);
      if (idsOf(observed, operation).length === 0) return warn("it read nothing of the list", evidence);
      return pass("it read a list that changed meanwhile", evidence.slice(0, 1));
    },
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
function pagedIn({ requests }: Observed): string | undefined {
  const next = requests.find(({ operation, request }) => operation?.startsWith("list") && request?.query.cursor);
  return next?.operation ?? undefined;
}

function idsOf(observed: Observed, operation: string | undefined): string[] {
  const items = listsOf(observed, operation).flatMap(
    ({ answer }) => (answer?.body as { items?: { id?: string }[] } | null)?.items ?? [],
  );
  return [...new Set(items.flatMap(({ id }) => id ?? []))];
}
