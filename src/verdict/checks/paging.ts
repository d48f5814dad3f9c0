// Checks how a program reads a list to its end.
import { LIST_CHANGES } from "../../engine/domain/index.ts";
import type { Drill, DrillJudge, Fault, Judges } from "../check.ts";
import type { Comparison } from "../comparison.ts";
import { fail, type Judgement, judgeHarm, notExercised, pass, warn } from "../judgement.ts";
import * as log from "../observed.ts";

type PageFault = NonNullable<Fault["page"]>;

/** The number of pages whose cursor does not advance. */
const STUCK_TIMES = 12;

/** A program that reads more pages than usual by this factor is in a loop. */
const LOOP_FACTOR = 5;

const explainNoSecondPage = (control: log.Observed): string | undefined =>
  findPagedOperation(control) ? undefined : "the program reads no list beyond its first page";

const createDrill = (control: log.Observed, page: PageFault, times: number, name = ""): Drill => ({
  name,
  faults: [{ operation: findPagedOperation(control) as string, page, times }],
});

/** The program must read every list as far as in the control run. */
const createPageCheck = (times: number, pages: Readonly<Record<string, PageFault>>): DrillJudge => ({
  missing: explainNoSecondPage,
  drills: (control) => Object.entries(pages).map(([name, page]) => createDrill(control, page, times, name)),
  unmet: (name) => `the program received no ${name}`,
  judge: judgePages,
});

export const paging = {
  "PAGE-01": {
    lint(logged) {
      // A cursor is opaque, so only a cursor of an earlier page may be sent.
      const issued = new Set<string>();
      const strange: log.RequestEntry[] = [];
      const used: log.RequestEntry[] = [];
      for (const request of logged.requests) {
        const cursor = request.request?.query.cursor;
        if (typeof cursor === "string" && cursor !== "") (issued.has(cursor) ? used : strange).push(request);
        const { next } = (request.answer?.body ?? {}) as { next?: unknown };
        if (typeof next === "string") issued.add(next);
      }
      if (strange.length > 0) return warn("a cursor was sent that no page contained", log.listEvidence(strange));
      const pages = logged.requests.some(
        (each) => !log.isInjected(each) && (each.answer?.body as { next?: string } | null)?.next,
      );
      return used.length > 0
        ? pass("every cursor was sent unchanged")
        : notExercised(pages ? "no page after the first was read" : "no list had a second page");
    },
  },

  // The description allows three ways to end a page.
  "PAGE-02": createPageCheck(100_000, {
    "a short page with `next`": { short: true },
    "an empty `next` at the end": { end: "empty" },
    "no `next` at the end": { end: "absent" },
  }),

  "PAGE-03": {
    missing: (control) =>
      explainNoSecondPage(control) ??
      (isChanging(findPagedOperation(control))
        ? undefined
        : "the host changes no list that the program reads beyond its first page"),
    drills: (control) => [createDrill(control, { change: true }, 3)],
    unmet: () => "no page was read",
    judge(run) {
      const { hit, control } = run;
      const now = findSamePages(run);
      const { pages } = readControlPages(control);
      const evidence = [log.toEvidence(hit, ", records changed after it")];
      // The outcome is only a warning, because the description does not say how to continue a list that changes.
      if (now.length > LOOP_FACTOR * pages.length)
        return warn(`it read ${now.length} pages instead of ${pages.length}`, evidence);
      if (listDroppedOperations(run).length > 0 || !run.hasSameEnd)
        return warn(`when the list changed it ended with ${run.ending}`, evidence);
      if (collectIds(now).size === 0) return warn("it read nothing of the list", evidence);
      return pass("it read a list that changed while it was read", evidence);
    },
  },

  "PAGE-04": {
    missing: explainNoSecondPage,
    drills: (control) => [createDrill(control, { stuck: true }, STUCK_TIMES)],
    unmet: () => "no page after the first was read",
    judge(run) {
      const { observed, hit } = run;
      const evidence = [log.toEvidence(hit, ", with its own cursor as `next`")];
      const turns = countRepeatedPages(observed);
      if (turns >= LOOP_FACTOR)
        return judgeHarm(`it read the same page ${turns} times`, evidence, run.findOtherState());
      if (listUnreadIds(run).length > 0 && run.hasSameEnd)
        return warn("it stopped where a cursor did not advance, and ended as if the list were complete", evidence);
      return pass("it noticed a cursor that does not advance", evidence);
    },
  },

  "PAGE-05": createPageCheck(3, { "a page without items": { hollow: true } }),
} satisfies Judges<"PAGE">;

/** Passes if the program read every list as far as in the control run. */
function judgePages(run: Comparison): Judgement {
  const { name, hit, ending, hasSameEnd } = run;
  const evidence = [log.toEvidence(hit, `, with ${name}`)];
  const unread = listUnreadIds(run);
  if (unread.length > 0)
    return fail(`after ${name} it missed ${unread.length} items: ${unread.slice(0, 3).join(", ")} …`, evidence);
  const countFirst = (pages: readonly log.RequestEntry[]) => pages.filter(isFirst).length;
  const [begun, before] = [countFirst(findSamePages(run)), countFirst(readControlPages(run.control).pages)];
  if (begun > 2 * before)
    return warn(`at ${name} it restarted, and read the first page ${begun} times instead of ${before}`, evidence);
  const lost = listDroppedOperations(run);
  if (lost.length > 0 || !hasSameEnd)
    return fail(`at ${name} it ended with ${ending}${lost.length > 0 ? `, without ${lost.join(", ")}` : ""}`, evidence);
  return pass("it read every list to its end", evidence);
}

/** Lists the ids that the program did not read. Pages may be cut differently, so ids are compared. */
function listUnreadIds(run: Comparison): string[] {
  const ids = collectIds(findSamePages(run));
  return [...readControlPages(run.control).ids].filter((id) => !ids.has(id));
}

/** Counts how often the program sent the same cursor, at most, before it started the list again. */
function countRepeatedPages(observed: log.Observed): number {
  const turns = new Map<unknown, number>();
  let most = 0;
  for (const page of findPages(observed, findPagedOperation(observed))) {
    const cursor = page.request?.query.cursor;
    if (!cursor) turns.clear();
    turns.set(cursor, (turns.get(cursor) ?? 0) + 1);
    most = Math.max(most, turns.get(cursor) ?? 0);
  }
  return most;
}

/**
 * Lists the operations that no longer succeed. An operation that succeeds less often is no loss, because a shorter page
 * has fewer items.
 */
const listDroppedOperations = ({ observed, lostOperations }: Comparison): string[] =>
  lostOperations.filter((name) => !log.findCalls(observed, name).some(log.isSuccess));

const findPages = ({ requests }: log.Observed, operation: string | undefined): log.RequestEntry[] =>
  requests.filter((each) => each.operation === operation && log.isSuccess(each));

const isFirst = ({ request }: log.RequestEntry): boolean => !request?.query.cursor;

/** The host can create and delete records of this list. */
const isChanging = (operation = ""): boolean => operation in LIST_CHANGES;

/** Finds a list of which the program reads more than one page, preferably one that the host can change. */
function findPagedOperation({ requests }: log.Observed): string | undefined {
  const paged = requests.flatMap(({ operation, request }) =>
    operation?.startsWith("list") && request?.query.cursor ? [operation] : [],
  );
  return paged.find(isChanging) ?? paged[0];
}

/** Lists with another query are other lists. */
function toListKey({ request }: log.RequestEntry): string {
  const { cursor: _, ...query } = request?.query ?? {};
  return log.toSortedJson(query);
}

/** Reads from the control run the pages of all lists that it reads to the second page, with their keys and ids. */
const readControlPages = log.memoizePerRun((control) => {
  const all = findPages(control, findPagedOperation(control));
  const lists = new Set(all.filter((page) => !isFirst(page)).map(toListKey));
  const pages = all.filter((page) => lists.has(toListKey(page)));
  return { lists, pages, ids: collectIds(pages) };
});

/** Finds the pages of the same lists in another run. */
function findSamePages({ observed, control }: Comparison): log.RequestEntry[] {
  const all = findPages(observed, findPagedOperation(control));
  const { lists } = readControlPages(control);
  const found = all.filter((page) => lists.has(toListKey(page)));
  // The query may differ between runs.
  return found.length > 0 ? found : all;
}

function collectIds(pages: readonly log.RequestEntry[]): Set<string> {
  const items = pages.flatMap(({ answer }) => (answer?.body as { items?: { id?: string }[] } | null)?.items ?? []);
  return new Set(items.flatMap(({ id }) => id ?? []));
}
