// GET /v1/webhook-subscriptions/{subscriptionId}. Assumption: subscription-fields.
import { loadSubscription } from "../../domain/kernel/lookups.ts";
import { showSubscription } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getWebhookSubscription = read("getWebhookSubscription", (tx, { path }) =>
  showSubscription(loadSubscription(tx, path.subscriptionId)),
);
