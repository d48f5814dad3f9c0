// AUTH-03: a token is opaque: it may be long, and look like anything.
import { type Check, fail, notExercised, pass } from "../check.ts";
import { endedAlike, endingOf, endOf, hitIn, lostIn } from "../compare.ts";
import { callsOf, isCall, succeeded, told } from "../observed.ts";

export const auth03: Check = {
  id: "AUTH-03",
  level: "must",
  title: "A token is opaque",
  done: "Tokens have 2048 characters with dots in them, and last a minute.",
  rule: "The token is opaque, and its form may change at any time.",
  advice: "Send the token as it came. Take its end from `expires_in`, never from the token.",
  explain: {
    happens:
      "A token looks like a JWT, so the program decodes it, or keeps it in a column of 255 characters. One day it looks different, and nothing works any more.",
    instead: "A token is a text to send back. All that may be known about it stands beside it in the answer.",
    code: "const { access_token, expires_in } = await answer.json(); // nothing else is known about it",
  },
  missing: (control) => (callsOf(control, "createToken").some(succeeded) ? undefined : "the program asks for no token"),
  drills: () => [
    {
      shares: "answers",
      faults: [{ operation: "createToken", token: { form: "long", expires_in: 60 }, times: 100_000 }],
    },
  ],
  judge(observed, control) {
    const [token] = hitIn(observed);
    if (!token) return notExercised("no token was asked for");
    const evidence = [told(token, ", 2048 characters with dots")];
    const broken = observed.requests.find((each) => isCall(each) && each.status === 401);
    if (broken) return fail("a long token did not come back as it was", [...evidence, told(broken)]);
    const lost = lostIn(observed, control);
    if (lost.length > 0)
      return fail(`with a long token it no longer called ${lost.join(", ")}`, [...evidence, ...endOf(observed)]);
    if (!endedAlike(observed, control))
      return fail(`with a long token it ended with ${endingOf(observed)}`, [...evidence, ...endOf(observed)]);
    return pass("it went on with a long token", evidence);
  },
};
