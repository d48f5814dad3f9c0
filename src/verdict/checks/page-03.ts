// PAGE-03: a list may change while it is read.
import { type Check, notExercised, pass, warn } from "../check.ts";
import { endedAlike, endingOf, endOf, hitIn, lostIn } from "../compare.ts";
import { told } from "../observed.ts";
import { idsOf, pagedIn } from "./page-02.ts";

/** So many times as many pages as usual are no reading any more. */
const LOOP = 5;

export const page03: Check = {
  id: "PAGE-03",
  level: "should",
  title: "A list may change while it is read",
  done: "Between two pages the host adds records and takes some away.",
  rule: "Paging is best effort and not a snapshot: items may shift, appear or vanish between pages.",
  advice: "Keep items by their id, and count nothing that is being changed.",
  explain: {
    happens:
      "While the nightly import reads page two, a guest books. One booking comes twice, another not at all; the import stops because the sum is wrong.",
    instead: "Put items into a map by id. What vanished comes by webhook, or tomorrow.",
    code: "for (const booking of page.items) known.set(booking.id, booking);",
  },
  missing: (control) => (pagedIn(control) ? undefined : "the program reads no list beyond its first page"),
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
};
