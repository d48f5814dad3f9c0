// The verb `receiver` sets the response of the player's webhook receiver at ${receiver.url}, for all deliveries or for a number of them.
// With the secret of the subscription, it checks every signature. Steps can expect the received deliveries.
import type { Verb } from "./verb.ts";

export const receiver: Verb = {
  name: "receiver",
  answers: ["received"],
  about: (step) => String(step.receiver?.answer ?? "look"),
  async play(step, context) {
    const own = await context.receiver();
    const orders = step.receiver ?? {};
    own.setResponse(orders as Parameters<typeof own.setResponse>[0]);
    return { sent: orders, outcome: { received: own.received() } };
  },
};
