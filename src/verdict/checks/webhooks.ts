// How a receiver takes messages: forged, twice, in another order, lost, many, under a new secret.

import { unwrap } from "../../client/control.ts";
import { type Drill, fail, type Judges, notExercised, pass, undecided, warn } from "../check.ts";
import { endedAlike, endingOf } from "../compare.ts";
import { findOtherState, judgeHarm } from "../harm.ts";
import {
  type Attempt,
  attemptEvidence,
  attemptsIn,
  idsOf,
  inAnyOrder,
  isAccepted,
  isTaken,
  listAttempts,
  moreWrites,
  noReceiver,
  probesAlike,
  probeWanted,
  readsOf,
} from "../hooks.ts";
import {
  arrivedAt,
  type DeliveryEntry,
  evidenceOf,
  isDelivery,
  isRequest,
  type Live,
  type Message,
  type Observed,
  type RequestEntry,
  succeeded,
  wallOf,
} from "../observed.ts";
import type { RunContext } from "../run-context.ts";

/** Each breaks one of the things that a receiver has to check. */
const FORGED = {
  altered: "an altered body",
  wrong_secret: "a signature by a wrong secret",
  stale_timestamp: "an old timestamp",
  missing_header: "no signature",
} as const;
type Forgery = keyof typeof FORGED;

/** Copies of one message that are sent at once. */
const BURST = 200;

/** As long as the sandbox waits for a receiver. */
const SLOWEST_MS = 15_000;

const HELD_MS = 2000;

/** The drill releases the message earlier, when the last one about its record has arrived. */
const LONGEST_LATE_MS = 60_000;

const MOST_HELD = 5;

/** Fewer answers say nothing. */
const FEWEST_ANSWERS = 100;

/** What is read so soon after a booking is part of it, such as its ticket, and finds no message that is missing. */
const AT_ONCE_MS = 500;

export const webhooks = {
  "HOOK-01": {
    missing: noReceiver,
    drills: (control): Drill[] => {
      const faults = (Object.keys(FORGED) as Forgery[]).map((each) => ({
        name: each,
        delivery: { do: each },
        times: 1,
      }));
      // With too few messages each forgery needs a run of its own, or some would meet none.
      const enough = attemptsIn(control).filter(isAccepted).length >= faults.length;
      return enough
        ? [{ name: "all four", faults }]
        : faults.map((fault) => ({ name: fault.delivery.do, faults: [fault] }));
    },
    judge(observed, control) {
      const tried = attemptsIn(observed).filter(({ did }) => did !== undefined);
      const forged = tried.filter(({ status }) => status !== null);
      if (tried.length === 0 || (forged.length === 0 && endedAlike(observed, control)))
        return notExercised("no message came to the receiver");
      const accepted = forged.filter(isAccepted);
      const harm = findForgeryHarm(observed, control);
      if (accepted.length > 0) {
        const forgeries = new Set(accepted.map(({ did }) => `it accepted a message with ${FORGED[did as Forgery]}`));
        const judgement = judgeHarm([...forgeries].join("; "), listAttempts(accepted), harm);
        // A worker may verify later what the receiver only stores.
        const add = "reject it with 401, unless the signature is verified before the message is used";
        return harm ? judgement : { ...judgement, add };
      }
      const evidence = listAttempts(tried);
      if (harm) return judgeHarm("it did not accept a message that is not genuine", evidence, harm);
      const refusedWrongly = forged.find(({ status }) => Math.floor((status ?? 0) / 100) !== 4)?.status ?? 0;
      // After 5xx it would be retried: a forger could keep the receiver busy for days.
      if (refusedWrongly > 0)
        return warn(`a message that is not genuine was answered ${refusedWrongly}, and not 4xx`, evidence);
      return pass("messages that are not genuine were refused", evidence);
    },
  },

  "HOOK-02": {
    missing: noReceiver,
    drills: () => [{ faults: [{ name: "duplicate", delivery: { do: "duplicate" }, times: 100 }] }],
    judge(observed, control) {
      const attempts = attemptsIn(observed).filter(({ status }) => status !== null);
      const doubled = attempts.filter(({ did }) => did !== undefined);
      if (doubled.length === 0) return notExercised("no message came to the receiver");
      const evidence = listAttempts(doubled, ", twice");
      // The fault is that of the first copy, and the second one follows it.
      const other = findOtherState(observed, control);
      const refused = attempts.find((each) => (each.did ?? each.after) !== undefined && !isAccepted(each));
      if (refused)
        return judgeHarm(
          "a message that came twice was not answered 2xx, so it would come again and again",
          [attemptEvidence(refused, refused.did === undefined ? ", the second time" : "")],
          // Where the first copy was rejected as well nothing was done for it.
          other ?? (refused.did === undefined ? undefined : "the message is not handled"),
        );
      const more = moreWrites(observed, control);
      if (more.length > 0) return fail(`a message that came twice did its work twice: ${more[0]?.operation}`, evidence);
      if (other) return judgeHarm("after messages that came twice", evidence, other);
      if (probesAlike(observed, control)) return pass("a message that came twice did its work once", evidence);
      return undecided("what the receiver keeps for itself can't be seen", probeWanted(control), evidence);
    },
  },

  "HOOK-03": {
    missing: (control) =>
      noReceiver(control) ??
      (attemptsIn(control).filter(isAccepted).length < 2 ? "only one message came; two are needed" : undefined),
    drills: (control): Drill[] => {
      const accepted = attemptsIn(control).filter(isAccepted);
      const isRead = ({ message }: Attempt) => readsOf(control, message).length > 0;
      const subjects = accepted.map(({ message }) => idsOf(message)[0]);
      const isFollowed = (at: number) => subjects.lastIndexOf(subjects[at]) > at;
      // Best one that the program reads after, so that it can be seen what it does, and that another one about the same record follows.
      const rank = (each: Attempt, at: number) => Number(isRead(each)) * 2 + Number(isFollowed(at));
      const ranks = accepted.slice(0, -1).map(rank);
      const skip = ranks.lastIndexOf(Math.max(...ranks));
      const faults = [{ name: "reorder", delivery: { do: "reorder" as const, late_ms: 1500 }, skip, times: 1 }];
      const first = ranks.indexOf(Math.max(...ranks));
      // The next message is not the last one about the record.
      const hasThree = subjects.indexOf(subjects[first], first + 1) < subjects.lastIndexOf(subjects[first]);
      return [{ name: "next first", waitMs: 1500, faults }, ...(hasThree ? [holdUntilLast(accepted, first)] : [])];
    },
    judge(observed, control) {
      const late = attemptsIn(observed).filter(({ did, status }) => did !== undefined && status !== null);
      if (late.length === 0) return notExercised("no two messages about one record came to the receiver");
      const evidence = listAttempts(late, ", out of order");
      // A message that was not taken leaves another state behind in whatever order it comes.
      if (!late.every(isAccepted))
        return undecided("the receiver did not take the late message", "let it answer 2xx to every message", evidence);
      const other = findOtherState(observed, control);
      if (other) return judgeHarm("after messages out of order", evidence, other);
      if (probesAlike(observed, control)) return pass("messages out of order left the same state behind", evidence);
      const reads = late.flatMap(({ message }) => readsOf(observed, message));
      // Whoever reads the record anew does not depend on the order.
      if (reads[0]) return pass("on a message it reads what is so now", [...evidence, evidenceOf(reads[0])]);
      return undecided("no probe, and no read of what a message names", probeWanted(control), evidence);
    },
  },

  "HOOK-04": {
    missing: noReceiver,
    drills: (control) =>
      [0, lastAboutFirst(control)].map((skip, at) => ({
        name: at === 0 ? "first" : "last",
        waitMs: 2000,
        faults: [{ name: "drop", delivery: { do: "drop" as const }, skip, times: 1 }],
      })),
    judge(observed, control, { name }) {
      const lost = observed.messages.find(({ deliveries }) => deliveries.some(({ state }) => state === "DROPPED"));
      if (!lost) return notExercised("no message was to be sent");
      const evidence = [{ id: lost.id, at: lost.created_at, says: `${lost.kind}, never sent` }];
      const found = foundAgain(observed, lost);
      if (found) return pass("what the lost message was about was read all the same", [...evidence, evidenceOf(found)]);
      if (probesAlike(observed, control)) return pass("the program knows what the lost message was about", evidence);
      const other = findOtherState(observed, control);
      // After the last message a list once a day comes later than the end of the run.
      if (other && name === "last")
        return warn("no list or read made up for the lost message until the end of the run", evidence);
      if (other) return judgeHarm("the program never learnt what the lost message was about", evidence, other);
      return undecided(
        "no list or read of what the lost message was about, but at once after the call that caused it, and no probe",
        `let a list run at the end, or ${probeWanted(control)}`,
        evidence,
      );
    },
  },

  "HOOK-05": {
    missing: noReceiver,
    drills: (control): Drill[] => {
      const operation = firstCause(control);
      // Or a quick program would have ended before the burst.
      return [
        { waitMs: 3000, ...(operation ? { before: ({ control }) => holdUp(control, operation) } : {}), drive: burst },
      ];
    },
    judge(observed, control) {
      const met = metIn(observed);
      if (met.length < FEWEST_ANSWERS) return notExercised("the receiver was gone before the burst came");
      const times = met.map(({ attempt }) => attempt.duration_ms).sort((a, b) => a - b);
      const [p50, p99] = [0.5, 0.99].map((share) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0));
      const refused = met.filter(({ attempt }) => attempt.outcome !== "ACCEPTED");
      const says = `p50 ${p50} ms, p99 ${p99} ms, ${refused.length} of ${met.length} refused`;
      if (refused.length > 0 || (p99 ?? 0) >= SLOWEST_MS) return warn(says, refused.slice(0, 3).map(deliveryEvidence));
      if (observed.ended.code !== undefined && !endedAlike(observed, control))
        return warn(`${says}; then it ended with ${endingOf(observed)}`, met.slice(-1).map(deliveryEvidence));
      return pass(says);
    },
  },

  "HOOK-06": {
    missing: (control) =>
      noReceiver(control) ??
      (control.connection.webhook_secret === null
        ? "the program subscribes itself, so nobody can tell it the next secret; --webhook-url subscribes for it"
        : undefined),
    drills: () => [{ before: rotate, drive: endOverlap }],
    judge(observed, control) {
      // A rotation needs a subscription that the sandbox has made.
      if (!observed.subscriptions.some((each) => each.previous_secret !== undefined))
        return notExercised("the secret was not rotated");
      // The first delivery is signed by both secrets, those after it by the new one alone.
      const rotated = observed.deliveries.find(isAcceptedEntry);
      const all = attemptsIn(observed);
      const later = all.filter(({ status }) => status !== null).slice(1);
      const refused = later.filter((each) => !isAccepted(each));
      if (refused[0]) return fail("after the rotation a message was refused", listAttempts(refused));
      // The attempt that it died of has no answer.
      if (rotated && !endedAlike(observed, control))
        return fail(`after the rotation it ended with ${endingOf(observed)}`, listAttempts(all.slice(1)));
      if (!rotated || later.length === 0) return notExercised("no message came after the rotation");
      return pass("it took messages with the next secret", listAttempts(later));
    },
  },

  "HOOK-07": {
    missing: noReceiver,
    drills: () => [{ faults: [{ name: "rewritten", delivery: { do: "rewritten" }, times: 100 }] }],
    judge(observed, control) {
      const tried = attemptsIn(observed).filter(({ did, status }) => did !== undefined && status !== null);
      if (tried.length === 0) return notExercised("no message came to the receiver");
      const refused = tried.filter((each) => !isAccepted(each) && isTaken(each.message.kind, control));
      if (refused.length > 0)
        return fail("a genuine message whose JSON is written differently was rejected", listAttempts(refused));
      const says = "messages whose JSON is written differently were taken";
      const other = findOtherState(observed, control);
      return other ? judgeHarm(says, listAttempts(tried), other) : pass(says, listAttempts(tried));
    },
  },
} satisfies Judges<"HOOK">;

/** The message arrives after all others about its record, as the control run has them. */
function holdUntilLast(accepted: readonly Attempt[], skip: number): Drill {
  const subject = idsOf((accepted[skip] as Attempt).message)[0];
  const last = accepted.findLastIndex(({ message }) => idsOf(message)[0] === subject);
  const isLastKind = (kind: string) => kind === accepted[last]?.message.kind;
  const times = accepted.slice(0, last + 1).filter(({ message }) => isLastKind(message.kind)).length;
  return {
    name: "first last",
    faults: [{ name: "late", delivery: { do: "late", late_ms: LONGEST_LATE_MS }, skip, times: 1 }],
    async drive({ control, entries, next }) {
      const arrived = () =>
        entries().filter((entry) => isDelivery(entry) && isLastKind(entry.webhook_kind) && isAcceptedEntry(entry));
      await next(() => arrived().length >= times);
      // A fault that is cleared sends what it holds.
      await control.DELETE("/_sandbox/faults");
      await next((entry) => isDelivery(entry) && entry.faults.length > 0);
    },
  };
}

/** The place of the last message about the record of the first one. */
function lastAboutFirst(control: Observed): number {
  const subjects = attemptsIn(control)
    .filter(isAccepted)
    .map(({ message }) => idsOf(message)[0]);
  return subjects.lastIndexOf(subjects[0]);
}

const isAcceptedEntry = ({ attempt }: DeliveryEntry): boolean => attempt.outcome === "ACCEPTED";

/** What the receiver did because of a message that is not genuine. A receiver that exits at it gives no response. */
function findForgeryHarm(observed: Observed, control: Observed): string | undefined {
  const [write] = moreWrites(observed, control);
  if (write) return `it did its work: ${write.operation}`;
  if (!endedAlike(observed, control)) return `it ended with ${endingOf(observed)}`;
  return findOtherState(observed, control, inAnyOrder);
}

/** A read of what it names, or a list that shows it, that was made after it, and not at once after the call that caused it. */
function foundAgain(observed: Observed, lost: Message) {
  const cause = observed.entries.find(({ id }) => id === lost.caused_by);
  const own = idsOf(lost)[0] ?? "";
  // The next message about the same brings the program to it as well.
  const others = new Set(
    observed.messages.filter((each) => each !== lost && idsOf(each)[0] === own).map(({ id }) => id),
  );
  const delivered = observed.deliveries.filter(({ message_id }) => others.has(message_id));
  const isLate = (each: RequestEntry) =>
    cause === undefined ||
    !isRequest(cause) ||
    arrivedAt(each) > wallOf(cause) + AT_ONCE_MS ||
    delivered.some((other) => arrivedAt(each) > wallOf(other) - other.attempt.duration_ms);
  const later = observed.requests.filter(
    (each) => each.seq > (cause?.seq ?? 0) && each.method === "GET" && succeeded(each) && isLate(each),
  );
  return readsOf({ ...observed, requests: later }, lost)[0] ?? later.find(({ touched }) => touched.includes(own));
}

/** All but those at the end that nobody was there to take: the program has ended then, or is stopped. */
function metIn({ deliveries }: Observed): DeliveryEntry[] {
  const answered = deliveries.findLastIndex(({ attempt }) => attempt.status !== null);
  return deliveries.slice(0, answered + 1);
}

const deliveryEvidence = ({ message_id, at, webhook_kind, attempt }: DeliveryEntry) => ({
  ...{ id: message_id, at },
  says: `${webhook_kind} → ${attempt.status ?? attempt.outcome.toLowerCase()}`,
});

/** The operation by which the first message came that was taken. */
function firstCause(control: Observed): string | undefined {
  const first = attemptsIn(control).find(isAccepted)?.message.caused_by;
  return control.requests.find(({ id }) => id === first)?.operation ?? undefined;
}

/** Its answers are late, and what comes of it is not. */
async function holdUp(control: RunContext["control"], operation: string): Promise<undefined> {
  const faults = [{ operation, delay_ms: HELD_MS, times: MOST_HELD }];
  await unwrap(control.PUT("/_sandbox/faults", { body: { faults } }));
}

async function burst({ control, controlIn, entries, next }: Live): Promise<void> {
  const first = await next((entry) => isDelivery(entry) && entry.attempt.outcome === "ACCEPTED");
  if (!first || !isDelivery(first)) return;
  // Held up by slow answers, the program does not end before the burst has come.
  await holdUp(control, "*");
  const before = entries().filter(isDelivery).length;
  const params = { path: { messageId: first.message_id } };
  const inWorld = controlIn(first.world);
  await unwrap(inWorld.POST("/_sandbox/messages/{messageId}/resend", { params, body: { copies: BURST } }));
  await next(() => entries().filter(isDelivery).length >= before + BURST);
  // The calls that were held up go on.
  await control.DELETE("/_sandbox/faults");
}

/** The previous secret signs until the overlap ends, and the clock is held. */
async function rotate({ control, connection }: Pick<RunContext, "control" | "connection">) {
  const path = { collection: "subscriptions" as const };
  const { items } = await unwrap(control.GET("/_sandbox/records/{collection}", { params: { path } }));
  const params = { path: { subscriptionId: items[0]?.id ?? "" } };
  const body = { overlap: "PT1S" };
  const { secret } = await unwrap(
    control.POST("/_sandbox/webhook-subscriptions/{subscriptionId}/rotate-secret", { params, body }),
  );
  return { SANDBOX_WEBHOOK_SECRETS: `${connection.webhook_secret} ${secret}` };
}

async function endOverlap({ controlIn, next }: Live): Promise<void> {
  const first = await next((entry) => isDelivery(entry) && entry.attempt.outcome === "ACCEPTED");
  if (!first || !isDelivery(first)) return;
  const control = controlIn(first.world);
  await unwrap(control.POST("/_sandbox/clock/advance", { body: { by: "PT2S" } }));
  const params = { path: { messageId: first.message_id } };
  await unwrap(control.POST("/_sandbox/messages/{messageId}/resend", { params, body: {} }));
}
