// GET /v1/webhook-subscriptions. Assumptions: subscription-fields, subscription-list.
import { showSubscription } from "../../domain/views.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";

export const listWebhookSubscriptions = read("listWebhookSubscriptions", (tx, { query }) =>
  page(tx, {
    list: "listWebhookSubscriptions",
    cursor: query.cursor,
    limit: query.limit ?? 100,
    keyOf: (subscription) => subscription.created_at,
    behind: (past) => tx.subscriptions.walk("created", past ? { past } : {}),
    show: showSubscription,
  }),
);
