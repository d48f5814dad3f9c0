// PUT /v1/webhook-subscriptions/{subscriptionId}: full replacement. Assumption: subscription-put.

import { replaceSubscription } from "../../domain/company/subscription.ts";
import { loadSubscription } from "../../domain/kernel/lookups.ts";
import { showSubscription } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const replaceWebhookSubscription = read("replaceWebhookSubscription", (tx, { path, body }) =>
  showSubscription(replaceSubscription(tx, loadSubscription(tx, path.subscriptionId), body)),
);
