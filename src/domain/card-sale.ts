// Gift cards that come with an order: bought by a guest, or made of a refund through a SETTLEMENT order. Assumptions:
// gift-card-fields, posting-rules ("Gift cards", "refund as a card"). Heading "Order".
import type { Desk } from "./desk.ts";
import { type CardWish, makeCard } from "./gift-card.ts";
import { optional } from "./optional.ts";
import { makeOrder } from "./order.ts";
import { makeLine } from "./order-line.ts";
import { pay } from "./payment.ts";
import type { GiftCard, Order, OrderLine } from "./records.ts";

export interface CardSale {
  order: Order;
  card: GiftCard;
}

type SaleWish = Omit<CardWish, "order_id"> & { customer: Order["customer"] };

/** The order for a gift card, and the card; paying for it is the caller's. */
export function sellCard(desk: Desk, { customer, ...wish }: SaleWish): CardSale {
  const { id = desk.newId(), value, currency, metadata } = wish;
  const line = makeLine(desk, currency, {
    product_type: "GIFTCARD",
    product_id: id,
    quantity: 1,
    unit: value,
    details: { type: "GIFTCARD", gift_card_id: id } as OrderLine["details"],
  });
  const origin = { type: "GIFTCARD", id } as Order["origin"];
  const status = "COMPLETED" as const;
  const order = makeOrder(desk, { origin, customer, currency, lines: [line], status, ...optional({ metadata }) });
  return { order, card: makeCard(desk, { ...wish, id, order_id: order.id }) };
}

/** A gift card bought with a refund: its order is paid by SETTLEMENT and names the order the money came from. */
export function sellForRefund(desk: Desk, { id, currency, customer }: Order, value: number): CardSale {
  const { order, card } = sellCard(desk, { value, currency, customer });
  const details = { type: "SETTLEMENT" as const, origin_order_id: id };
  return { order: pay(desk, order, { provider: "SETTLEMENT", details }), card };
}
