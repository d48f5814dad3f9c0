// RETRY-04: what is refused for good is not sent again.

import { attemptsOf, usualTimes } from "../back-off.ts";
import { books, refusedFirst } from "../booked.ts";
import { type Check, type Drill, fail, notExercised, pass } from "../check.ts";
import { hitIn, readOf } from "../compare.ts";
import { type Observed, succeeded, told } from "../observed.ts";

/** As often as a fault lasts; who stops before does not loop. */
const TIMES = 6;
const LOOPS = 3;

export const retry04: Check = {
  id: "RETRY-04",
  level: "must",
  title: "What is refused for good is not sent again",
  done: "Calls answer 400, 403, 404 and 409, as long as they are repeated.",
  rule: "An error is `{code, message}`; treat an unknown code by its status. A 4xx answers the request as it is.",
  advice: "Repeat only after 5xx, 429 and lost answers. After any other 4xx change the request, or stop.",
  explain: {
    happens:
      "A retry around every call repeats a 404 or a 409 until it gives up, for each guest, all day. The real reason is read last, or never.",
    instead: "Let the status decide: 4xx is about the request, 5xx is about the service.",
    code: `const isPassing = (status) => status === 429 || status >= 500;
if (!isPassing(answer.status)) throw new Refused(await answer.json());`,
  },
  missing: (control) =>
    readOf(control) || books(control) ? undefined : "the program calls nothing that could be refused",
  drills: drillsFor,
  judge(observed, control, { name }) {
    const [first] = hitIn(observed);
    if (!first) return notExercised(`nothing was answered ${name}`);
    const attempts = attemptsOf(observed, first);
    const evidence = attempts.slice(0, 5).map((each) => told(each));
    if (attempts.length >= usualTimes(control, first) + LOOPS - 1)
      return fail(`${first.operation} answered ${name}, and was sent ${attempts.length} times, unchanged`, evidence);
    return pass("what is refused for good is not sent again", evidence);
  },
};

/** Of each status one, where the service may answer it. */
function drillsFor(control: Observed): Drill[] {
  const [one, list] = [called(control, "get"), called(control, "list")];
  const booking = books(control) ? "createBooking" : undefined;
  const wanted: [number, string | undefined][] = [
    [404, one],
    [403, list ?? one],
    [409, booking],
    [400, booking ?? list],
  ];
  return wanted.flatMap(([status, operation], at): Drill[] => {
    if (operation === undefined) return [];
    const isFirst = wanted.findIndex((other) => other[1] === operation) === at;
    const skip = operation === booking ? refusedFirst(control) : 0;
    const faults = [{ operation, status, skip, times: TIMES }];
    return [{ name: String(status), ...(isFirst ? { shares: "refusals" } : {}), faults }];
  });
}

const called = ({ requests }: Observed, beginning: string): string | undefined =>
  requests.find((each) => each.operation?.startsWith(beginning) && each.operation !== "getMe" && succeeded(each))
    ?.operation ?? undefined;
