// RETRY-02: waits between attempts grow.

import { attemptsOf, gapsOf, usualTimes, whyNoBackOff } from "../back-off.ts";
import { type Check, notExercised, pass, warn } from "../check.ts";
import { hitIn, readOf } from "../compare.ts";
import { told } from "../observed.ts";

export const retry02: Check = {
  id: "RETRY-02",
  level: "should",
  title: "Waits between attempts grow",
  done: "A read answers 503 four times.",
  rule: "503 says that the service can't answer now; real time is measured, not the world's.",
  advice: "Double the wait with every attempt, from a few hundred milliseconds, with some chance in it.",
  explain: {
    happens:
      "The service is overloaded for a minute. A thousand programs repeat at once, again and again, and keep it overloaded.",
    instead: "Wait a little, then longer, and stop after a few attempts.",
    code: `for (let attempt = 0; ; attempt++) {
  const answer = await fetch(url, options);
  if (answer.status < 500 || attempt === 5) return answer;
  await sleep(2 ** attempt * 250 * (0.5 + Math.random()));
}`,
  },
  missing: (control) => (readOf(control) ? undefined : "the program reads nothing"),
  drills: (control) => [{ faults: [{ operation: readOf(control) as string, status: 503, times: 4 }] }],
  judge(observed, control) {
    const [first] = hitIn(observed);
    if (!first) return notExercised("the read was never called");
    const attempts = attemptsOf(observed, first).slice(0, 5);
    const gaps = gapsOf(attempts);
    if (gaps.length < usualTimes(control, first)) return notExercised("a read that answers 503 is not repeated");
    const reason = whyNoBackOff(gaps);
    const evidence = attempts.map((each, at) => told(each, at === 0 ? "" : ` after ${gaps[at - 1]} ms`));
    if (reason !== undefined) return warn(`after 503 ${reason}`, evidence);
    return gaps.length < 2
      ? pass("it repeats once, after a wait")
      : pass(`its waits grow (${gaps.join(", ")} ms)`, evidence);
  },
};
