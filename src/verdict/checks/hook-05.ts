// HOOK-05: many messages at once are taken.
import { dataOf } from "../../client/control.ts";
import { type Check, notExercised, pass, warn } from "../check.ts";
import { attemptsIn, attemptTold, isAccepted, noReceiver } from "../hooks.ts";
import { isDelivery, type Live } from "../observed.ts";

const BURST = 200;
/** Of one request to send again. */
const MOST_COPIES = 100;
const SLOWEST_MS = 15_000;
const HELD_MS = 2000;
/** Fewer answers say nothing. */
const FEWEST = 50;

export const hook05: Check = {
  id: "HOOK-05",
  level: "should",
  title: "Many messages at once are taken",
  done: `One message is sent ${BURST} times at once.`,
  rule: "The message was received. The receiver responds within 15 seconds.",
  advice: "Write the message down, answer 2xx, and do the work afterwards.",
  explain: {
    happens:
      "A host cancels a day, and two hundred messages come in a second. A receiver that does its work before it answers runs out of time; all are sent again, which makes it worse.",
    instead: "A queue between receiver and work: answering takes a millisecond, and the work takes what it takes.",
    code: `await queue.add(message);
response.writeHead(202).end();`,
  },
  missing: noReceiver,
  drills: () => [{ drive: burst }],
  judge(observed) {
    const attempts = attemptsIn(observed);
    const ended = observed.ended.stopped === undefined;
    const met = attempts.filter(({ outcome }) => !(ended && outcome === "UNREACHABLE"));
    if (met.length < FEWEST) return notExercised("the receiver was gone before the burst came");
    const times = met.map(({ duration_ms }) => duration_ms).sort((a, b) => a - b);
    const [p50, p99] = [0.5, 0.99].map((share) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0));
    const refused = met.filter((each) => !isAccepted(each));
    const says = `p50 ${p50} ms, p99 ${p99} ms, ${refused.length} of ${met.length} refused`;
    if (refused.length > 0 || (p99 ?? 0) >= SLOWEST_MS)
      return warn(
        says,
        refused.slice(0, 3).map((each) => attemptTold(each)),
      );
    return pass(says);
  },
};

async function burst({ control, next }: Live): Promise<void> {
  const first = await next((entry) => isDelivery(entry) && entry.attempt.outcome === "ACCEPTED");
  if (!first || !isDelivery(first)) return;
  // Held up by slow answers, the program does not end before the burst has come.
  await dataOf(
    control.PUT("/_sandbox/faults", { body: { faults: [{ operation: "*", delay_ms: HELD_MS, times: 2 }] } }),
  );
  const params = { path: { messageId: first.message_id } };
  for (let sent = 0; sent < BURST; sent += MOST_COPIES)
    await dataOf(control.POST("/_sandbox/messages/{messageId}/resend", { params, body: { copies: MOST_COPIES } }));
}
