// The player's receiver answers as the recorded receivers did: a step sets it before what causes the attempts. It can answer a number of
// attempts in one way and all later ones in another, which is how receivers fail and come back.

import type { JsonObject } from "../../platform/json.ts";
import type { DeliveryEntry } from "./stretch.ts";
import type { Teller } from "./teller.ts";

/** For a receiver that gave no answer at all. */
const NO_ANSWER = 503;

/** Adds at most two steps: what is answered for good, and what so many times before that. */
export function tellReceiver(attempts: readonly DeliveryEntry[], teller: Teller): void {
  const answers = attempts.map(({ attempt }) => attempt.status ?? NO_ANSWER);
  const [first = teller.answer] = answers;
  const last = answers.at(-1) ?? teller.answer;
  // How many attempts got the first answer before another one came.
  const times = answers.findIndex((answer) => answer !== first);
  if (first === last && times < 0) {
    if (first !== teller.answer) tell({ answer: first }, teller);
  } else {
    if (last !== teller.answer) tell({ answer: last }, teller);
    tell({ answer: first, times }, teller);
    if (answers.slice(times).some((answer) => answer !== last))
      teller.leaveOut(
        "A receiver answered by turns in a way that a step can't say; it answers differently in the story.",
      );
  }
  teller.answer = last;
}

function tell(orders: JsonObject, teller: Teller): void {
  teller.add(
    orders.times === undefined
      ? `the receiver answers ${orders.answer}`
      : `the receiver first answers ${orders.answer}`,
    { receiver: orders },
  );
}
