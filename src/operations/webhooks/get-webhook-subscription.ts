// GET /v1/webhook-subscriptions/{subscriptionId}. Assumption: subscription-fields.
import { found } from "../../domain/refusal.ts";
import { showSubscription } from "../../domain/shown.ts";
import { read } from "../operation.ts";

export const getWebhookSubscription = read("getWebhookSubscription", (desk, { path }) =>
  showSubscription(found(desk.subscriptions.get(path.subscriptionId), "webhook subscription", path.subscriptionId)),
);
