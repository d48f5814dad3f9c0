// Adds steps that make the player's receiver respond like the recorded receivers. Steps come before the entry that causes the attempts. The
// receiver can respond to a number of attempts in one way and to later ones in another, so it can fail and recover.

import type { JsonObject } from "../../platform/json.ts";
import type { DeliveryEntry } from "./log-slice.ts";
import type { StoryBuilder } from "./story-builder.ts";

/** The status that represents a receiver that did not respond. */
const NO_ANSWER = 503;

/** Adds at most two steps: one for the final response, and one for the responses before it. */
export function addReceiver(attempts: readonly DeliveryEntry[], builder: StoryBuilder): void {
  // Dropped deliveries never reached the receiver.
  const sent = attempts.filter(({ attempt }) => attempt.outcome !== "DROPPED");
  const answers = sent.map(({ attempt }) => attempt.status ?? NO_ANSWER);
  const [first = builder.answer] = answers;
  const last = answers.at(-1) ?? builder.answer;
  // The number of attempts with the first response, before another response.
  const times = answers.findIndex((answer) => answer !== first);
  if (first === last && times < 0) {
    if (first !== builder.answer) addReceiverStep({ answer: first }, builder);
  } else {
    if (last !== builder.answer) addReceiverStep({ answer: last }, builder);
    addReceiverStep({ answer: first, times }, builder);
    if (answers.slice(times).some((answer) => answer !== last))
      builder.leaveOut(
        "A receiver alternated its responses in a way that steps can't express; its responses differ in the scenario.",
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
