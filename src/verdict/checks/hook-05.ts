// HOOK-05: many messages at once are taken.
import { dataOf } from "../../client/control.ts";
import { type Check, notExercised, pass, warn } from "../check.ts";
import { endedAlike, endingOf } from "../compare.ts";
import { noReceiver } from "../hooks.ts";
import { type DeliveryEntry, isDelivery, type Live, type Observed } from "../observed.ts";

const BURST = 100;
const SLOWEST_MS = 15_000;
const HELD_MS = 2000;
const MOST_HELD = 5;
/** Fewer answers say nothing. */
const FEWEST = 50;

export const hook05: Check = {
  id: "HOOK-05",
  level: "should",
  title: "Many messages at once are taken",
  done: `One message is sent ${BURST} times, one straight after the other.`,
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
  judge(observed, control) {
    const met = metIn(observed);
    if (met.length < FEWEST) return notExercised("the receiver was gone before the burst came");
    const times = met.map(({ attempt }) => attempt.duration_ms).sort((a, b) => a - b);
    const [p50, p99] = [0.5, 0.99].map((share) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0));
    const refused = met.filter(({ attempt }) => attempt.outcome !== "ACCEPTED");
    const says = `p50 ${p50} ms, p99 ${p99} ms, ${refused.length} of ${met.length} refused`;
    if (refused.length > 0 || (p99 ?? 0) >= SLOWEST_MS) return warn(says, refused.slice(0, 3).map(deliveryTold));
    if (observed.ended.code !== undefined && !endedAlike(observed, control))
      return warn(`${says}; then it ended with ${endingOf(observed)}`, met.slice(-1).map(deliveryTold));
    return pass(says);
  },
};

/** All but those at the end that nobody was there to take: the program has ended then, or is stopped. */
function metIn({ deliveries }: Observed): DeliveryEntry[] {
  const answered = deliveries.findLastIndex(({ attempt }) => attempt.status !== null);
  return deliveries.slice(0, answered + 1);
}

const deliveryTold = ({ message_id, at, webhook_kind, attempt }: DeliveryEntry) => ({
  ...{ id: message_id, at },
  says: `${webhook_kind} → ${attempt.status ?? attempt.outcome.toLowerCase()}`,
});

async function burst({ control, entries, next }: Live): Promise<void> {
  const first = await next((entry) => isDelivery(entry) && entry.attempt.outcome === "ACCEPTED");
  if (!first || !isDelivery(first)) return;
  // Held up by slow answers, the program does not end before the burst has come.
  await dataOf(
    control.PUT("/_sandbox/faults", { body: { faults: [{ operation: "*", delay_ms: HELD_MS, times: MOST_HELD }] } }),
  );
  const before = entries().filter(isDelivery).length;
  const params = { path: { messageId: first.message_id } };
  await dataOf(control.POST("/_sandbox/messages/{messageId}/resend", { params, body: { copies: BURST } }));
  await next(() => entries().filter(isDelivery).length >= before + BURST);
  await control.DELETE("/_sandbox/faults");
}
