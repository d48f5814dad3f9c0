// HOOK-06: while a secret is rotated, both are good.
import { dataOf } from "../../client/control.ts";
import { type Check, fail, notExercised, pass } from "../check.ts";
import { attemptsIn, attemptTold, isAccepted, noReceiver } from "../hooks.ts";
import { isDelivery, type Live } from "../observed.ts";
import type { Place } from "../place.ts";

export const hook06: Check = {
  id: "HOOK-06",
  level: "must",
  title: "A rotated secret is taken",
  done: "After the first message the secret is rotated, with the next one known beforehand in SANDBOX_WEBHOOK_SECRETS.",
  rule: "During the overlap of a rotation the previous and the new secret are good; afterwards only the new one is.",
  advice: "Keep a list of secrets, and take a message that fits one of them.",
  explain: {
    happens:
      "A secret has been in a log, and is rotated. A receiver that knows one secret refuses everything from then on.",
    instead: "Configure a list: the present secret and the next one. Take the old one out when its overlap is over.",
    code: `const keys = process.env.SANDBOX_WEBHOOK_SECRETS.split(" ");
const genuine = keys.some((key) => fits(key, message));`,
  },
  missing: (control) =>
    noReceiver(control) ??
    (control.connection.webhook_secret === null
      ? "the program subscribes itself, so nobody can tell it the next secret; --webhook-url subscribes for it"
      : undefined),
  drills: () => [{ before: rotate, drive: endOverlap }],
  judge(observed) {
    const rotated = observed.entries.find((entry) => entry.kind === "delivery" && entry.attempt.outcome === "ACCEPTED");
    const later = attemptsIn(observed)
      .filter(({ status }) => status !== null)
      .slice(1);
    if (!rotated || later.length === 0) return notExercised("no message came after the rotation");
    const refused = later.filter((each) => !isAccepted(each));
    if (refused[0])
      return fail(
        "after the rotation a message was refused",
        refused.slice(0, 3).map((each) => attemptTold(each)),
      );
    return pass(
      "it took messages with the next secret",
      later.slice(0, 2).map((each) => attemptTold(each)),
    );
  },
};

/** The previous secret signs until the overlap ends, and the clock is held. */
async function rotate({ control, connection }: Pick<Place, "control" | "connection">) {
  const path = { collection: "subscriptions" as const };
  const { items } = await dataOf(control.GET("/_sandbox/records/{collection}", { params: { path } }));
  const params = { path: { subscriptionId: items[0]?.id ?? "" } };
  const body = { overlap: "PT1S" };
  const { secret } = await dataOf(
    control.POST("/_sandbox/webhook-subscriptions/{subscriptionId}/rotate-secret", { params, body }),
  );
  return { SANDBOX_WEBHOOK_SECRETS: `${connection.webhook_secret} ${secret}` };
}

async function endOverlap({ control, next }: Live): Promise<void> {
  const first = await next((entry) => isDelivery(entry) && entry.attempt.outcome === "ACCEPTED");
  if (!first || !isDelivery(first)) return;
  await dataOf(control.POST("/_sandbox/clock/advance", { body: { by: "PT2S" } }));
  const params = { path: { messageId: first.message_id } };
  await dataOf(control.POST("/_sandbox/messages/{messageId}/resend", { params, body: {} }));
}
