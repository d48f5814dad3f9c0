// PUT /v1/webhook-subscriptions/{subscriptionId}: full replacement. Assumption: subscription-put.
import { found } from "../../domain/refusal.ts";
import { showSubscription } from "../../domain/shown.ts";
import { replaceSubscription } from "../../domain/subscription.ts";
import { read } from "../operation.ts";

export const replaceWebhookSubscription = read("replaceWebhookSubscription", (desk, { path, body }) => {
  const subscription = found(desk.subscriptions.get(path.subscriptionId), "webhook subscription", path.subscriptionId);
  return showSubscription(replaceSubscription(desk, subscription, body));
});
