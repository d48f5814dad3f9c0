// DELETE /v1/webhook-subscriptions/{subscriptionId}: all its deliveries stop. Assumption: subscription-delete.

import { deleteSubscription } from "../../domain/company/subscription.ts";
import { found } from "../../domain/kernel/domain-error.ts";
import type { Operation } from "../operation.ts";

export const deleteWebhookSubscription: Operation<"deleteWebhookSubscription"> = {
  id: "deleteWebhookSubscription",
  answer(tx, { path }) {
    deleteSubscription(
      tx,
      found(tx.subscriptions.get(path.subscriptionId), "webhook subscription", path.subscriptionId),
    );
    return { status: 204 };
  },
};
