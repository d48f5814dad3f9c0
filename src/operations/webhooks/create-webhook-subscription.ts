// POST /v1/webhook-subscriptions. Assumptions: subscription-fields, subscription-secret (told here only), subscription-conflict.

import { showSubscription } from "../../domain/shown.ts";
import { createSubscription } from "../../domain/subscription.ts";
import type { Operation } from "../operation.ts";

export const createWebhookSubscription: Operation<"createWebhookSubscription"> = {
  id: "createWebhookSubscription",
  answer(desk, { body, newSecret }) {
    const subscription = createSubscription(desk, body, newSecret());
    return { status: 201, body: { ...showSubscription(subscription), secret: subscription.secret } };
  },
};
