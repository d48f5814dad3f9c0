// PUT /v1/webhook-subscriptions/{subscriptionId}: full replacement. Assumption: subscription-put.

import { replaceSubscription } from "../../domain/company/subscription.ts";
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { showSubscription } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const replaceWebhookSubscription = read("replaceWebhookSubscription", (tx, { path, body }) => {
  const subscription = mustExist(
    tx.subscriptions.get(path.subscriptionId),
    "webhook subscription",
    path.subscriptionId,
  );
  return showSubscription(replaceSubscription(tx, subscription, body));
});
