// DELETE /v1/webhook-subscriptions/{subscriptionId}: all its deliveries stop. Assumption: subscription-delete.

import { deleteSubscription } from "../../domain/company/subscription.ts";
import { loadSubscription } from "../../domain/kernel/lookups.ts";
import type { Operation } from "../operation.ts";

export const deleteWebhookSubscription: Operation<"deleteWebhookSubscription"> = {
  id: "deleteWebhookSubscription",
  answer(tx, { path }) {
    deleteSubscription(tx, loadSubscription(tx, path.subscriptionId));
    return { status: 204 };
  },
};
