// Checks how a receiver handles messages that are forged, duplicate, out of order, lost, numerous, or signed with a new
// secret.
import { unwrap } from "../../client/control.ts";
import type { Drill, Fault, Judges } from "../check.ts";
import type { Comparison } from "../comparison.ts";
import { fail, judgeHarm, notExercised, pass, undecided, warn } from "../judgement.ts";
import * as log from "../observed.ts";
import { toUnorderedText } from "../program-state.ts";
import * as receiver from "../receiver.ts";
import { rotateSecret } from "../worlds.ts";

/** Each forgery breaks one of the properties that a receiver must verify. */
const FORGED = {
  altered: "an altered body",
  wrong_secret: "a signature by a wrong secret",
  stale_timestamp: "an old timestamp",
  missing_header: "no signature",
} as const;
type Forgery = keyof typeof FORGED;

/** The number of copies of one message that are sent at the same time. */
const BURST = 200;

/** The sandbox waits this long for a response of a receiver. */
const MAX_RESPONSE_MS = 15_000;

const DELAY_MS = 2000;

/** The drill releases the message earlier if the last message about the same record has arrived. */
const MAX_LATE_MS = 60_000;

const MAX_DELAYED = 5;

/** Fewer responses are not enough for percentiles. */
const MIN_RESPONSES = 100;

/**
 * A read this soon after a booking belongs to it, for example to get its ticket, so it does not show that the program
 * looks for missing messages.
 */
const SAME_STEP_MS = 500;

export const webhooks = {
  "HOOK-01": {
    missing: receiver.explainNoReceiver,
    drills: (control): Drill[] => {
      const faults = (Object.keys(FORGED) as Forgery[]).map((each) => ({
        name: each,
        delivery: { do: each },
        times: 1,
      }));
      // Each forgery gets its own run if there are not enough messages for all of them.
      if (receiver.listAccepted(control).length >= faults.length) return [{ name: "all four", faults }];
      return faults.map((fault) => ({ name: fault.name, faults: [fault] }));
    },
    judge(run) {
      const tried = receiver.listAttempts(run.observed).filter(({ did }) => did !== undefined);
      const forged = run.hitAttempts;
      if (tried.length === 0 || (forged.length === 0 && run.hasSameEnd))
        return notExercised("no message reached the receiver");
      const accepted = forged.filter(receiver.isAccepted);
      const harm = findForgeryHarm(run);
      if (accepted.length > 0) {
        const forgeries = new Set(accepted.map(({ did }) => `it accepted a message with ${FORGED[did as Forgery]}`));
        const judgement = judgeHarm([...forgeries].join("; "), receiver.listAttemptEvidence(accepted), harm);
        // The receiver may only store the message, and a worker may verify it later.
        const add = "reject it with 401, unless the signature is verified before the message is used";
        return harm ? judgement : { ...judgement, add };
      }
      const evidence = receiver.listAttemptEvidence(tried);
      if (harm) return judgeHarm("it did not accept a message that is not genuine", evidence, harm);
      const wrongStatus = forged.find(({ status }) => Math.floor((status ?? 0) / 100) !== 4)?.status ?? 0;
      // The service retries after 5xx, so a forger could keep the receiver busy for days.
      if (wrongStatus > 0)
        return warn(`a message that is not genuine received ${wrongStatus} instead of 4xx`, evidence);
      return pass("messages that are not genuine were rejected", evidence);
    },
  },

  "HOOK-02": {
    missing: receiver.explainNoReceiver,
    faults: () => [{ name: "duplicate", delivery: { do: "duplicate" }, times: 100 }],
    judge(run) {
      const { observed, control } = run;
      const attempts = receiver.listAttempts(observed).filter(({ status }) => status !== null);
      const duplicates = attempts.filter(({ did }) => did !== undefined);
      if (duplicates.length === 0) return notExercised("no message reached the receiver");
      const evidence = receiver.listAttemptEvidence(duplicates, ", twice");
      // The fault belongs to the first copy, and the second copy follows it.
      const other = run.findOtherState();
      const refused = attempts.find((each) => (each.did ?? each.after) !== undefined && !receiver.isAccepted(each));
      if (refused)
        return judgeHarm(
          "a duplicate message did not receive 2xx, so the service would retry it",
          [receiver.toAttemptEvidence(refused, refused.did === undefined ? ", the second time" : "")],
          // The receiver may also have rejected the first copy, in which case nothing was done for the message.
          other ?? (refused.did === undefined ? undefined : "the message is not handled"),
        );
      const more = run.extraWrites;
      if (more.length > 0) return fail(`a duplicate message was processed twice: ${more[0]?.operation}`, evidence);
      if (other) return judgeHarm("after duplicate messages", evidence, other);
      if (run.hasSameState) return pass("a duplicate message was processed once", evidence);
      return undecided("the receiver's own state is unknown", receiver.suggestProbe(control), evidence);
    },
  },

  "HOOK-03": {
    waitMs: 1500,
    missing: (control) =>
      receiver.explainNoReceiver(control) ??
      (receiver.listAccepted(control).length < 2 ? "only one message arrived; two are needed" : undefined),
    drills: (control): Drill[] => {
      const accepted = receiver.listAccepted(control);
      const isRead = ({ message }: receiver.Attempt) => receiver.findReads(control, message).length > 0;
      const subjects = accepted.map(({ subject }) => subject);
      const isFollowed = (at: number) => subjects.lastIndexOf(subjects[at]) > at;
      // Prefers a message that the program reads after, so that its reaction can be observed, and that is followed by
      // another message about the same record.
      const rank = (each: receiver.Attempt, at: number) => Number(isRead(each)) * 2 + Number(isFollowed(at));
      const ranks = accepted.slice(0, -1).map(rank);
      const skip = ranks.lastIndexOf(Math.max(...ranks));
      const faults = [{ name: "reorder", delivery: { do: "reorder" as const, late_ms: 1500 }, skip, times: 1 }];
      const first = ranks.indexOf(Math.max(...ranks));
      // The next message about the record is not the last one.
      const hasThree = subjects.indexOf(subjects[first], first + 1) < subjects.lastIndexOf(subjects[first]);
      return [{ name: "next first", faults }, ...(hasThree ? [holdUntilLast(accepted, first)] : [])];
    },
    judge(run) {
      const { observed, control } = run;
      const late = run.hitAttempts;
      if (late.length === 0) return notExercised("no two messages about one record reached the receiver");
      const evidence = receiver.listAttemptEvidence(late, ", out of order");
      // A message that was not accepted changes the state in any order.
      if (!late.every(receiver.isAccepted))
        return undecided(
          "the receiver did not accept the late message",
          "let it respond 2xx to every message",
          evidence,
        );
      const other = run.findOtherState();
      if (other) return judgeHarm("after messages out of order", evidence, other);
      if (run.hasSameState) return pass("messages out of order left the same state behind", evidence);
      const reads = late.flatMap(({ message }) => receiver.findReads(observed, message));
      // A program that reads the current record does not depend on the order.
      if (reads[0]) return pass("after a message it reads the current record", [...evidence, log.toEvidence(reads[0])]);
      return undecided("no probe, and no read of a message's subject", receiver.suggestProbe(control), evidence);
    },
  },

  "HOOK-04": {
    waitMs: 2000,
    missing: receiver.explainNoReceiver,
    drills: (control) =>
      [0, findLastAboutFirst(control)].map((skip, at) => ({
        name: at === 0 ? "first" : "last",
        faults: [{ name: "drop", delivery: { do: "drop" as const }, skip, times: 1 }],
      })),
    judge(run) {
      const { observed, control, name } = run;
      const lost = observed.messages.find(({ deliveries }) => deliveries.some(({ state }) => state === "DROPPED"));
      if (!lost) return notExercised("no message was due");
      const evidence = [{ id: lost.id, at: lost.created_at, says: `${lost.kind}, never sent` }];
      const found = findLaterRead(observed, lost);
      if (found) return pass("the subject of the lost message was read later", [...evidence, log.toEvidence(found)]);
      if (run.hasSameState) return pass("the program knows the subject of the lost message", evidence);
      const other = run.findOtherState();
      // The program may list once a day, which would be after the end of the run.
      if (other && name === "last")
        return warn("no list or read made up for the lost message until the end of the run", evidence);
      if (other) return judgeHarm("the program never learned of the lost message's subject", evidence, other);
      return undecided(
        "no probe, and no list or read of the lost message's subject, except right after the request that caused it",
        `let a list run at the end, or ${receiver.suggestProbe(control)}`,
        evidence,
      );
    },
  },

  "HOOK-05": {
    waitMs: 3000,
    missing: receiver.explainNoReceiver,
    drills: (control): Drill[] => {
      const operation = findFirstCause(control);
      // The responses are delayed, because a fast program would end before the burst.
      return [{ faults: operation ? [toDelay(operation)] : [], drive: sendBurst }];
    },
    judge(run) {
      const { observed } = run;
      const met = listAnsweredDeliveries(observed);
      if (met.length < MIN_RESPONSES) return notExercised("the receiver ended before the burst arrived");
      const times = met.map(({ attempt }) => attempt.duration_ms).sort((a, b) => a - b);
      const [p50, p99] = [0.5, 0.99].map((share) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0));
      const refused = met.filter(({ attempt }) => attempt.outcome !== "ACCEPTED");
      const says = `p50 ${p50} ms, p99 ${p99} ms, ${refused.length} of ${met.length} rejected`;
      if (refused.length > 0 || (p99 ?? 0) >= MAX_RESPONSE_MS)
        return warn(says, refused.slice(0, 3).map(toDeliveryEvidence));
      if (observed.ended.code !== undefined && !run.hasSameEnd)
        return warn(`${says}; then it ended with ${run.ending}`, met.slice(-1).map(toDeliveryEvidence));
      return pass(says);
    },
  },

  "HOOK-06": {
    missing: (control) =>
      receiver.explainNoReceiver(control) ??
      (control.connection.webhook_secret === null
        ? "the program subscribes itself, so it can't get the next secret in advance; use --webhook-url"
        : undefined),
    drills: () => [{ before: (context) => rotateSecret(context, "PT1S"), drive: endOverlap }],
    judge(run) {
      const { observed } = run;
      // A rotation needs a subscription that the sandbox has created.
      if (!observed.subscriptions.some((each) => each.previous_secret !== undefined))
        return notExercised("the secret was not rotated");
      // The first delivery is signed with both secrets, and later ones only with the new secret.
      const rotated = observed.deliveries.find(isAcceptedDelivery);
      const all = receiver.listAttempts(observed);
      const later = all.filter(({ status }) => status !== null).slice(1);
      const refused = later.filter((each) => !receiver.isAccepted(each));
      if (refused[0]) return fail("after the rotation a message was rejected", receiver.listAttemptEvidence(refused));
      // The attempt that ended the program has no response.
      if (rotated && !run.hasSameEnd)
        return fail(`after the rotation it ended with ${run.ending}`, receiver.listAttemptEvidence(all.slice(1)));
      if (!rotated || later.length === 0) return notExercised("no message arrived after the rotation");
      return pass("it accepted messages with the next secret", receiver.listAttemptEvidence(later));
    },
  },

  "HOOK-07": {
    missing: receiver.explainNoReceiver,
    faults: () => [{ name: "rewritten", delivery: { do: "rewritten" }, times: 100 }],
    judge(run) {
      const tried = run.hitAttempts;
      if (tried.length === 0) return notExercised("no message reached the receiver");
      const refused = tried.filter((each) => !receiver.isAccepted(each) && run.isKindAccepted(each.message.kind));
      if (refused.length > 0)
        return fail(
          "a genuine message whose JSON is written differently was rejected",
          receiver.listAttemptEvidence(refused),
        );
      const says = "messages whose JSON is written differently were accepted";
      const evidence = receiver.listAttemptEvidence(tried);
      const other = run.findOtherState();
      return other ? judgeHarm(says, evidence, other) : pass(says, evidence);
    },
  },
} satisfies Judges<"HOOK">;

/** The message arrives after all others about the same record. */
function holdUntilLast(accepted: readonly receiver.Attempt[], skip: number): Drill {
  const last = accepted.findLastIndex(({ subject }) => subject === accepted[skip]?.subject);
  const isLastKind = (kind: string) => kind === accepted[last]?.message.kind;
  const times = accepted.slice(0, last + 1).filter(({ message }) => isLastKind(message.kind)).length;
  return {
    name: "first last",
    faults: [{ name: "late", delivery: { do: "late", late_ms: MAX_LATE_MS }, skip, times: 1 }],
    async drive({ control, entries, next }) {
      const listArrived = () =>
        entries().filter((entry) => isAcceptedDelivery(entry) && isLastKind(entry.webhook_kind));
      await next(() => listArrived().length >= times);
      // Deleting the fault releases the held message.
      await control.DELETE("/_sandbox/faults");
      await next((entry) => log.isDelivery(entry) && entry.faults.length > 0);
    },
  };
}

/** Returns the index of the last message about the record of the first message. */
function findLastAboutFirst(control: log.Observed): number {
  const accepted = receiver.listAccepted(control);
  return accepted.findLastIndex(({ subject }) => subject === accepted[0]?.subject);
}

const isAcceptedDelivery = (entry: log.Entry): entry is log.DeliveryEntry =>
  log.isDelivery(entry) && entry.attempt.outcome === "ACCEPTED";

/** Finds what the receiver did because of a forged message. A receiver that exits gives no response. */
function findForgeryHarm(run: Comparison): string | undefined {
  const [write] = run.extraWrites;
  if (write) return `it acted on the message: ${write.operation}`;
  return run.hasSameEnd ? run.findOtherState(toUnorderedText) : `it ended with ${run.ending}`;
}

/**
 * Finds a read of the message's subject, or a list that contains it, unless it immediately followed the request that
 * caused the message.
 */
function findLaterRead(observed: log.Observed, lost: log.Message) {
  const cause = observed.entries.find(({ id }) => id === lost.caused_by);
  const own = receiver.readSubjectIds(lost)[0] ?? "";
  // The next message about the same subject leads to a read as well.
  const others = new Set(
    observed.messages.filter((each) => each !== lost && receiver.readSubjectIds(each)[0] === own).map(({ id }) => id),
  );
  const delivered = observed.deliveries.filter(({ message_id }) => others.has(message_id));
  const isLate = (each: log.RequestEntry) =>
    cause === undefined ||
    !log.isRequest(cause) ||
    log.toArrivalMs(each) > log.toWallMs(cause) + SAME_STEP_MS ||
    delivered.some((other) => log.toArrivalMs(each) > log.toWallMs(other) - other.attempt.duration_ms);
  const later = observed.requests.filter(
    (each) => each.seq > (cause?.seq ?? 0) && each.method === "GET" && log.isSuccess(each) && isLate(each),
  );
  return (
    receiver.findReads({ ...observed, requests: later }, lost)[0] ?? later.find(({ touched }) => touched.includes(own))
  );
}

/** Omits the deliveries after the end of the program. */
function listAnsweredDeliveries({ deliveries }: log.Observed): log.DeliveryEntry[] {
  const answered = deliveries.findLastIndex(({ attempt }) => attempt.status !== null);
  return deliveries.slice(0, answered + 1);
}

const toDeliveryEvidence = ({ message_id, at, webhook_kind, attempt }: log.DeliveryEntry) => ({
  id: message_id,
  at,
  says: `${webhook_kind} → ${attempt.status ?? attempt.outcome.toLowerCase()}`,
});

/** Finds the operation that caused the first accepted message. */
function findFirstCause(control: log.Observed): string | undefined {
  const first = receiver.listAttempts(control).find(receiver.isAccepted)?.message.caused_by;
  return control.requests.find(({ id }) => id === first)?.operation ?? undefined;
}

/** Delays the responses of the operation, but not its messages. */
const toDelay = (operation: string): Fault => ({ operation, delay_ms: DELAY_MS, times: MAX_DELAYED });

const resend = ({ getControl }: log.Live, { message_id, world }: log.DeliveryEntry, body: { copies?: number }) => {
  const params = { path: { messageId: message_id } };
  return unwrap(getControl(world).POST("/_sandbox/messages/{messageId}/resend", { params, body }));
};

async function sendBurst(live: log.Live): Promise<void> {
  const { control, entries, next } = live;
  const first = await next(isAcceptedDelivery);
  if (!first) return;
  // Delayed responses keep the program running until the burst has arrived.
  await unwrap(control.PUT("/_sandbox/faults", { body: { faults: [toDelay("*")] } }));
  const before = entries().filter(log.isDelivery).length;
  await resend(live, first, { copies: BURST });
  await next(() => entries().filter(log.isDelivery).length >= before + BURST);
  // Deleting the faults releases the delayed responses.
  await control.DELETE("/_sandbox/faults");
}

/** Until this move of the frozen clock, the previous secret stays valid. */
async function endOverlap(live: log.Live): Promise<void> {
  const first = await live.next(isAcceptedDelivery);
  if (!first) return;
  await unwrap(live.getControl(first.world).POST("/_sandbox/clock/advance", { body: { by: "PT2S" } }));
  await resend(live, first, {});
}
