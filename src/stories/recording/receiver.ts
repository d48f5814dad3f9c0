// The player's receiver answers as the recorded receivers did: a step sets it before what causes the attempts. It can answer a number of
// attempts in one way and all later ones in another, which is how receivers fail and come back.

import type { JsonObject } from "../../platform/json.ts";
import type { DeliveryEntry } from "./log-slice.ts";
import type { StoryBuilder } from "./story-builder.ts";

/** For a receiver that gave no answer at all. */
const NO_ANSWER = 503;

/** Adds at most two steps: what is answered for good, and what so many times before that. */
export function addReceiver(attempts: readonly DeliveryEntry[], builder: StoryBuilder): void {
  // What a fault dropped never went to the receiver.
  const sent = attempts.filter(({ attempt }) => attempt.outcome !== "DROPPED");
  const answers = sent.map(({ attempt }) => attempt.status ?? NO_ANSWER);
  const [first = builder.answer] = answers;
  const last = answers.at(-1) ?? builder.answer;
  // How many attempts got the first answer before another one came.
  const times = answers.findIndex((answer) => answer !== first);
  if (first === last && times < 0) {
    if (first !== builder.answer) addReceiverStep({ answer: first }, builder);
  } else {
    if (last !== builder.answer) addReceiverStep({ answer: last }, builder);
    addReceiverStep({ answer: first, times }, builder);
    if (answers.slice(times).some((answer) => answer !== last))
      builder.leaveOut(
        "A receiver answered by turns in a way that a step can't say; it answers differently in the story.",
      );
  }
  builder.answer = last;
}

function addReceiverStep(orders: JsonObject, builder: StoryBuilder): void {
  builder.add(
    orders.times === undefined
      ? `the receiver answers ${orders.answer}`
      : `the receiver first answers ${orders.answer}`,
    { receiver: orders },
  );
}
