// Proposes amounts, currencies and ids that an order or a gift card accepts.
import { type Proposal, type RejectedRequest, setAt, toPaths, toValues } from "../rule.ts";

/** Proposes the highest allowed amount. */
const limitTo =
  (member: "open" | "balance") =>
  (question: RejectedRequest): Proposal[] => {
    const values = toValues(question);
    const most = Number(values[member]);
    const paths = toPaths(question, values.amount).filter((path) => /amount|value/.test(path));
    if (!(most > 0) || paths.length === 0) return [];
    return [{ text: `Use at most ${most} minor units.`, set: setAt(paths, most) }];
  };

export const openAmount = limitTo("open");
export const balanceAmount = limitTo("balance");

/** Proposes the currency of the order or the gift card. */
export function useCurrency(question: RejectedRequest): Proposal[] {
  const { given, wanted = "" } = toValues(question);
  const paths = toPaths(question, given).filter((path) => path.endsWith("currency"));
  if (paths.length === 0) return [];
  return [{ text: `Use ${wanted}.`, set: setAt(paths, wanted) }];
}

export function useOrderTicket(question: RejectedRequest): Proposal[] {
  const { ticket_id, order_id = "" } = toValues(question);
  const tickets = question.read((tx) => tx.tickets.where("booking", tx.orders.get(order_id)?.origin.id ?? ""));
  return (
    tickets
      // Each proposal is tried on a copy of the world, so there are few.
      .slice(0, 5)
      .map(({ id }) => ({ text: `Ticket ${id} belongs to the order.`, set: setAt(toPaths(question, ticket_id), id) }))
  );
}

export function useOrderPart(question: RejectedRequest): Proposal[] {
  const { order_id = "", kind, id } = toValues(question);
  const order = question.read((tx) => tx.orders.get(order_id));
  const parts = (kind === "refund" ? order?.refunds : order?.transactions) ?? [];
  return parts
    .slice(0, 5)
    .map((part) => ({ text: `The order has the ${kind} ${part.id}.`, set: setAt(toPaths(question, id), part.id) }));
}

/** Proposes the only document type that such an entry may have. */
export function useDocumentType(question: RejectedRequest): Proposal[] {
  const { kind, type } = toValues(question);
  const fits = kind === "SALE" ? "RECEIPT" : kind === "REFUND" ? "CREDIT_NOTE" : undefined;
  return fits === undefined ? [] : [{ text: `A ${kind} takes a ${fits}.`, set: setAt(toPaths(question, type), fits) }];
}
