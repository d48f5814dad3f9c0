// AUTH-06: a token endpoint that is busy for a moment is asked again, not hammered.

import { gapsOf, whyNoBackOff } from "../back-off.ts";
import { type Check, notExercised, pass, warn } from "../check.ts";
import { endedAlike, hitIn } from "../compare.ts";
import { callsOf, succeeded, told } from "../observed.ts";

const MOST_ATTEMPTS = 6;

export const auth06: Check = {
  id: "AUTH-06",
  level: "should",
  title: "A busy token endpoint is asked again, with growing waits",
  done: "The token endpoint answers 503 twice.",
  rule: "The token endpoint may answer 503, with an error in the form of RFC 6749.",
  advice: "Ask again after a wait that grows, at most five times.",
  explain: {
    happens:
      "The token endpoint is busy for two seconds. A program that gives up takes the shop down; one that hammers keeps the endpoint busy.",
    instead: "Use the same waits as for any other 503, in the one place that asks for tokens.",
    code: `const token = await withRetry(requestToken, { attempts: 5, firstWait: 250 });`,
  },
  missing: (control) => (callsOf(control, "createToken").some(succeeded) ? undefined : "the program asks for no token"),
  drills: () => [{ faults: [{ operation: "createToken", status: 503, times: 2 }] }],
  judge(observed, control) {
    const hit = hitIn(observed);
    if (hit.length === 0) return notExercised("no token was asked for");
    const all = callsOf(observed, "createToken");
    const worked = all.findIndex(succeeded);
    const attempts = all.slice(0, worked < 0 ? undefined : worked + 1);
    const evidence = attempts.slice(0, 5).map((each) => told(each));
    if (attempts.length > MOST_ATTEMPTS) return warn(`it asked ${attempts.length} times`, evidence);
    // Tests that each ask once are no attempts of one program.
    if (worked < 0 || !endedAlike(observed, control))
      return warn("a token endpoint that is busy for a moment makes it fail", evidence);
    const reason = whyNoBackOff(gapsOf(attempts));
    if (reason !== undefined) return warn(`after 503 of the token endpoint ${reason}`, evidence);
    return pass("it asked again with growing waits", evidence);
  },
};
