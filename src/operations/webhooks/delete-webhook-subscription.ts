// DELETE /v1/webhook-subscriptions/{subscriptionId}: all its deliveries stop. Assumption: subscription-delete.
import { found } from "../../domain/refusal.ts";
import { deleteSubscription } from "../../domain/subscription.ts";
import type { Operation } from "../operation.ts";

export const deleteWebhookSubscription: Operation<"deleteWebhookSubscription"> = {
  id: "deleteWebhookSubscription",
  answer(desk, { path }) {
    deleteSubscription(
      desk,
      found(desk.subscriptions.get(path.subscriptionId), "webhook subscription", path.subscriptionId),
    );
    return { status: 204 };
  },
};
