// receiver: tells the player's own webhook receiver, at ${receiver.url}, what to answer: always, or so many times. With the secret of
// the subscription it checks every signature. What it has received so far can be expected.
import type { Verb } from "./verb.ts";

export const receiver: Verb = {
  name: "receiver",
  answers: ["received"],
  about: (step) => String(step.receiver?.answer ?? "look"),
  async play(step, context) {
    const own = await context.receiver();
    const orders = step.receiver ?? {};
    own.tell(orders as Parameters<typeof own.tell>[0]);
    return { sent: orders, outcome: { received: own.received() } };
  },
};
