// POST /v1/webhook-subscriptions. Assumptions: subscription-fields, subscription-secret (returned here only), subscription-conflict.

import { createSubscription } from "../../domain/company/subscription.ts";
import { showSubscription } from "../../domain/views.ts";
import type { Operation } from "../operation.ts";

export const createWebhookSubscription: Operation<"createWebhookSubscription"> = {
  id: "createWebhookSubscription",
  answer(tx, { body, newSecret }) {
    const subscription = createSubscription(tx, body, newSecret());
    return { status: 201, body: { ...showSubscription(subscription), secret: subscription.secret } };
  },
};
