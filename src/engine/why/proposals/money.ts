// Amounts, currencies and ids that an order or a gift card takes.
import { type Proposal, pathsOf, type RejectedRequest, setAt, valuesOf } from "../rule.ts";

/** At most what is open. */
const atMost =
  (member: "open" | "balance") =>
  (question: RejectedRequest): Proposal[] => {
    const values = valuesOf(question);
    const most = Number(values[member]);
    const paths = pathsOf(question, values.amount).filter((path) => /amount|value/.test(path));
    if (!(most > 0) || paths.length === 0) return [];
    return [{ text: `At most ${most} in the smallest unit.`, set: setAt(paths, most) }];
  };

export const openAmount = atMost("open");
export const balanceAmount = atMost("balance");

/** The currency of the order or the card. */
export function oneCurrency(question: RejectedRequest): Proposal[] {
  const { given, wanted = "" } = valuesOf(question);
  const paths = pathsOf(question, given).filter((path) => path.endsWith("currency"));
  if (paths.length === 0) return [];
  return [{ text: `Use ${wanted}.`, set: setAt(paths, wanted) }];
}

export function ticketOfOrder(question: RejectedRequest): Proposal[] {
  const { ticket_id, order_id = "" } = valuesOf(question);
  const tickets = question.read((tx) => tx.tickets.where("booking", tx.orders.get(order_id)?.origin.id ?? ""));
  return (
    tickets
      // Each is tried.
      .slice(0, 5)
      .map(({ id }) => ({ text: `Ticket ${id} belongs to the order.`, set: setAt(pathsOf(question, ticket_id), id) }))
  );
}

export function partOfOrder(question: RejectedRequest): Proposal[] {
  const { order_id = "", kind, id } = valuesOf(question);
  const order = question.read((tx) => tx.orders.get(order_id));
  const parts = (kind === "refund" ? order?.refunds : order?.transactions) ?? [];
  return parts
    .slice(0, 5)
    .map((part) => ({ text: `The order has the ${kind} ${part.id}.`, set: setAt(pathsOf(question, id), part.id) }));
}

/** The one document that such an entry may have. */
export function documentFor(question: RejectedRequest): Proposal[] {
  const { kind, type } = valuesOf(question);
  const fits = kind === "SALE" ? "RECEIPT" : kind === "REFUND" ? "CREDIT_NOTE" : undefined;
  return fits === undefined ? [] : [{ text: `A ${kind} takes a ${fits}.`, set: setAt(pathsOf(question, type), fits) }];
}
