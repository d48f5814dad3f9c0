// GET /v1/webhook-subscriptions/{subscriptionId}. Assumption: subscription-fields.
import { mustExist } from "../../domain/kernel/domain-error.ts";
import { showSubscription } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getWebhookSubscription = read("getWebhookSubscription", (tx, { path }) =>
  showSubscription(mustExist(tx.subscriptions.get(path.subscriptionId), "webhook subscription", path.subscriptionId)),
);
