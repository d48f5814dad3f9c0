// HOOK-03: messages may come in another order than things happened.
import { type Check, fail, notExercised, pass, undecided } from "../check.ts";
import {
  attemptsIn,
  attemptTold,
  isAccepted,
  noReceiver,
  probesAlike,
  probeTold,
  probeWanted,
  readsOf,
} from "../hooks.ts";
import { told } from "../observed.ts";

export const hook03: Check = {
  id: "HOOK-03",
  level: "must",
  title: "Messages may come out of order",
  done: "A message comes after the one that follows it.",
  rule: "The payload has the ids of the resources. Read a resource for its state.",
  advice: "Take a message as a hint that something changed, and read what is so now.",
  explain: {
    happens:
      "“Cancelled” overtakes “created”. The program stores the created one last, and the guest is expected at a tour that was called off.",
    instead: "On any message read the resource, and store what it says; or drop what is older than what you have.",
    code: `const booking = await get(\`/v1/bookings/\${payload.booking_id}\`);
await db.upsert(booking); // whatever the kind was`,
  },
  missing: (control) =>
    noReceiver(control) ??
    (attemptsIn(control).filter(isAccepted).length < 2 ? "only one message came; two are needed" : undefined),
  drills: (control) => {
    const accepted = attemptsIn(control).filter(isAccepted).slice(0, -1);
    // Best one that the program reads after, so that it can be seen what it does; it comes after the next one.
    const read = accepted.findLastIndex(({ message }) => readsOf(control, message).length > 0);
    const skip = read < 0 ? accepted.length - 1 : read;
    return [{ faults: [{ name: "reorder", delivery: { do: "reorder", late_ms: 1500 }, skip, times: 1 }] }];
  },
  judge(observed, control) {
    const late = attemptsIn(observed).filter(({ did, status }) => did !== undefined && status !== null);
    if (late.length === 0) return notExercised("no two messages came to the receiver");
    const evidence = late.slice(0, 3).map((each) => attemptTold(each, ", after the next one"));
    // A message that was not taken leaves another state behind in whatever order it comes.
    if (!late.every(isAccepted))
      return undecided("the receiver did not take the late message", "let it answer 2xx to every message", evidence);
    const alike = probesAlike(observed, control);
    if (alike === false)
      return fail("messages out of order left another state behind", [...evidence, probeTold(observed, control)]);
    if (alike) return pass("messages out of order left the same state behind", evidence);
    const reads = late.flatMap(({ message }) => readsOf(observed, message));
    if (reads[0]) return pass("on a message it reads what is so now", [...evidence, told(reads[0])]);
    return undecided("no probe, and no read of what a message names", probeWanted(control), evidence);
  },
};
