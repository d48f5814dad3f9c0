// HOOK-04: a message that never comes is found by a list.
import { type Check, fail, notExercised, pass, undecided } from "../check.ts";
import { idsOf, noReceiver, probesAlike, probeWanted, readsOf } from "../hooks.ts";
import { type Message, type Observed, succeeded, told } from "../observed.ts";

export const hook04: Check = {
  id: "HOOK-04",
  level: "must",
  title: "A message that never comes is found",
  done: "One message is never sent; those after it are.",
  rule: "A delivery is given up after its last attempt; then nothing tells of it again.",
  advice: "Once a day list what changed since the last run, and put right what you missed.",
  explain: {
    happens:
      "Your receiver was down for two days, and one cancellation was given up. Nobody tells you again; the seat stays sold in your shop.",
    instead: "Webhooks for speed, a nightly list for certainty.",
    code: `for await (const booking of list(\`/v1/bookings?from=\${lastRun.toISOString()}\`)) await db.upsert(booking);`,
  },
  missing: noReceiver,
  drills: () => [{ faults: [{ name: "drop", delivery: { do: "drop" }, times: 1 }] }],
  judge(observed, control) {
    const lost = observed.messages.find(({ deliveries }) => deliveries.some(({ state }) => state === "DROPPED"));
    if (!lost) return notExercised("no message was to be sent");
    const evidence = [{ id: lost.id, at: lost.created_at, says: `${lost.kind}, never sent` }];
    const found = foundAgain(observed, lost);
    if (found) return pass("what the lost message was about was read all the same", [...evidence, told(found)]);
    const alike = probesAlike(observed, control);
    if (alike) return pass("the program knows what the lost message was about", evidence);
    if (alike === false) return fail("the program never learnt what the lost message was about", evidence);
    return undecided(
      "no list or read of what the lost message was about, and no probe",
      `let a list run at the end, or ${probeWanted(control)}`,
      evidence,
    );
  },
};

/** A read of what it names, or a list that shows it, that was made after it. */
function foundAgain(observed: Observed, lost: Message) {
  const cause = observed.entries.find(({ id }) => id === lost.caused_by);
  const later = observed.requests.filter(
    (each) => each.seq > (cause?.seq ?? 0) && each.method === "GET" && succeeded(each),
  );
  const own = idsOf(lost)[0] ?? "";
  return [
    ...readsOf({ ...observed, requests: later }, lost),
    ...later.filter(
      ({ touched, answer }) => touched.includes(own) || JSON.stringify(answer?.body ?? null).includes(`"${own}"`),
    ),
  ][0];
}
