// DELETE /v1/webhook-subscriptions/{subscriptionId}: all its deliveries stop. Assumption: subscription-delete.

import { deleteSubscription } from "../../domain/company/subscription.ts";
import { mustExist } from "../../domain/kernel/domain-error.ts";
import type { Operation } from "../operation.ts";

export const deleteWebhookSubscription: Operation<"deleteWebhookSubscription"> = {
  id: "deleteWebhookSubscription",
  answer(tx, { path }) {
    deleteSubscription(
      tx,
      mustExist(tx.subscriptions.get(path.subscriptionId), "webhook subscription", path.subscriptionId),
    );
    return { status: 204 };
  },
};
