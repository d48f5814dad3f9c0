// TOL-04: a kind of message that nobody knows yet.
import { type Check, fail, notExercised, pass } from "../check.ts";
import { attemptsIn, attemptTold, isAccepted, noReceiver } from "../hooks.ts";

export const tol04: Check = {
  id: "TOL-04",
  level: "must",
  title: "An unknown kind of message is taken",
  done: "Before a true message comes a genuine one of a kind that nobody knows.",
  rule: "New kinds may be added; a delivery succeeds with any 2xx, and is repeated otherwise.",
  advice: "Answer 2xx to kinds that you do not know, and do nothing.",
  explain: {
    happens:
      "The service adds a kind. The receiver answers 500 to it, and each message is sent again for a day; a receiver that fails too long is switched off.",
    instead: "Look the kind up, and shrug when it is not there.",
    code: `await handlers[message.type]?.(message.payload);
response.writeHead(204).end();`,
  },
  missing: noReceiver,
  drills: () => [{ faults: [{ name: "unknown_kind", delivery: { do: "unknown_kind" }, times: 1 }] }],
  judge(observed) {
    const attempts = attemptsIn(observed).filter(({ status }) => status !== null);
    const strange = attempts.filter(({ did }) => did !== undefined);
    if (strange.length === 0) return notExercised("no message came to the receiver");
    const evidence = strange.map((each) => attemptTold(each));
    if (strange.some((each) => !isAccepted(each)))
      return fail("a message of an unknown kind was not answered 2xx", evidence);
    const later = attempts.filter(({ did }) => did === undefined);
    const broken = later.filter((each) => !isAccepted(each));
    if (broken.length > 0)
      return fail("after a message of an unknown kind the known ones were refused", [
        ...evidence,
        ...broken.slice(0, 2).map((each) => attemptTold(each)),
      ]);
    return pass("a message of an unknown kind was taken", evidence);
  },
};
