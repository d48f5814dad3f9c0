// GET /v1/webhook-subscriptions. Assumptions: subscription-fields, subscription-list.
import { showSubscription } from "../../domain/views.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";

export const listWebhookSubscriptions = read("listWebhookSubscriptions", (tx, { query }) =>
  page(tx, {
    list: "listWebhookSubscriptions",
    query,
    keyOf: (subscription) => subscription.created_at,
    behind: (past) => tx.subscriptions.walk("created", past ? { past } : {}),
    show: showSubscription,
  }),
);
