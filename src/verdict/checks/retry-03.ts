// RETRY-03: Retry-After is waited for.
import { type Check, fail, notExercised, pass, warn } from "../check.ts";
import { after, hitIn, readOf } from "../compare.ts";
import { cameAt, sameKey, told, wallOf } from "../observed.ts";

const SECONDS = 2;
/** Clocks and timers are not that exact. */
const TOLERANCE_MS = 100;
/** What comes so soon was under way. */
const UNDER_WAY_MS = 10;

export const retry03: Check = {
  id: "RETRY-03",
  level: "must",
  title: "Retry-After is waited for",
  done: `A read answers 429 once, with Retry-After: ${SECONDS}.`,
  rule: "`Retry-After`: the seconds to wait before the next request (RFC 9110, 10.2.3).",
  advice: "Read `Retry-After` of a 429 and of a 503, and send nothing of that kind before it is over.",
  explain: {
    happens:
      "The limit of calls is reached. Who calls on is answered 429 again, and each of these calls counts: the program keeps itself out.",
    instead: "Wait as long as the answer says, for all calls of this kind, not for one.",
    code: `if (answer.status === 429) {
  await sleep(Number(answer.headers.get("retry-after") ?? 1) * 1000);
  return call(again);
}`,
  },
  missing: (control) => (readOf(control) ? undefined : "the program reads nothing"),
  drills: (control) => [
    { faults: [{ operation: readOf(control) as string, status: 429, retry_after: SECONDS, times: 1 }] },
  ],
  judge(observed) {
    const [hit] = hitIn(observed);
    if (!hit) return notExercised("the read was never called");
    const [from, until] = [wallOf(hit) + UNDER_WAY_MS, wallOf(hit) + SECONDS * 1000 - TOLERANCE_MS];
    const later = after(observed, hit).filter(({ operation }) => operation === hit.operation);
    const early = later.filter((each) => cameAt(each) > from && cameAt(each) < until);
    const evidence = [
      told(hit, `, Retry-After: ${SECONDS}`),
      ...early.slice(0, 4).map((each) => told(each, `, ${Math.round(cameAt(each) - wallOf(hit))} ms later`)),
    ];
    if (early.some((each) => sameKey(each) === sameKey(hit)))
      return fail(`it repeated ${early.length} times before Retry-After was over`, evidence);
    if (early.length > 0) return warn("it called the same operation again before Retry-After was over", evidence);
    if (later.length === 0) return notExercised("nothing of that operation was called again");
    return pass("nothing was called before Retry-After was over", evidence);
  },
};
