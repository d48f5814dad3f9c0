// Amounts, currencies and ids that an order or a gift card takes.
import { type Asked, type Proposal, placesOf, setAt, valuesOf } from "../rule.ts";

/** At most what is open. */
const atMost =
  (member: "open" | "balance") =>
  (asked: Asked): Proposal[] => {
    const values = valuesOf(asked);
    const most = Number(values[member]);
    const places = placesOf(asked, values.amount).filter((place) => /amount|value/.test(place));
    if (!(most > 0) || places.length === 0) return [];
    return [{ text: `At most ${most} in the smallest unit.`, set: setAt(places, most) }];
  };

export const openAmount = atMost("open");
export const balanceAmount = atMost("balance");

export function oneCurrency(asked: Asked): Proposal[] {
  const { given, wanted = "" } = valuesOf(asked);
  const places = placesOf(asked, given).filter((place) => place.endsWith("currency"));
  if (places.length === 0) return [];
  return [{ text: `Use ${wanted}.`, set: setAt(places, wanted) }];
}

export function ticketOfOrder(asked: Asked): Proposal[] {
  const { ticket_id, order_id = "" } = valuesOf(asked);
  const tickets = asked.read((tx) => tx.tickets.where("booking", tx.orders.get(order_id)?.origin.id ?? ""));
  return tickets
    .slice(0, 5)
    .map(({ id }) => ({ text: `Ticket ${id} belongs to the order.`, set: setAt(placesOf(asked, ticket_id), id) }));
}

export function partOfOrder(asked: Asked): Proposal[] {
  const { order_id = "", kind, id } = valuesOf(asked);
  const order = asked.read((tx) => tx.orders.get(order_id));
  const parts = (kind === "refund" ? order?.refunds : order?.transactions) ?? [];
  return parts
    .slice(0, 5)
    .map((part) => ({ text: `The order has the ${kind} ${part.id}.`, set: setAt(placesOf(asked, id), part.id) }));
}

export function documentFor(asked: Asked): Proposal[] {
  const { kind, type } = valuesOf(asked);
  const fits = kind === "SALE" ? "RECEIPT" : kind === "REFUND" ? "CREDIT_NOTE" : undefined;
  return fits === undefined ? [] : [{ text: `A ${kind} takes a ${fits}.`, set: setAt(placesOf(asked, type), fits) }];
}
