// Creates gift cards that come with an order: bought by a guest, or made of a refund through a SETTLEMENT order.
// Assumptions: gift-card-fields, posting-rules ("Gift cards", "refund as a card"). Heading "Order".

import { optional } from "../../../platform/optional.ts";
import type { GiftCard, Order } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { makeOrder } from "../money/order.ts";
import { makeLine } from "../money/order-line.ts";
import { pay } from "../money/payment.ts";
import { type CardInput, makeCard } from "./gift-card.ts";

export interface CardSale {
  order: Order;
  card: GiftCard;
}

type SaleInput = Omit<CardInput, "order_id"> & { customer: Order["customer"] };

/** Creates a gift card and its order. The caller records the payment. */
export function sellCard(tx: Transaction, { customer, ...input }: SaleInput): CardSale {
  const { id = tx.newId(), value, currency, metadata } = input;
  // A gift card has no VAT rate, because tax is due when the card is spent.
  const line = makeLine(tx, currency, {
    product_type: "GIFTCARD",
    product_id: id,
    quantity: 1,
    unit: value,
    details: { type: "GIFTCARD", gift_card_id: id },
  });
  const origin = { type: "GIFTCARD", id } as Order["origin"];
  const status = "COMPLETED" as const;
  const order = makeOrder(tx, { origin, customer, currency, lines: [line], status, ...optional({ metadata }) });
  return { order, card: makeCard(tx, { ...input, id, order_id: order.id }) };
}

/** Creates a gift card from a refund. Its order is paid by SETTLEMENT and names the order that the money came from. */
export function sellForRefund(tx: Transaction, { id, currency, customer }: Order, value: number): CardSale {
  const { order, card } = sellCard(tx, { value, currency, customer });
  // The money is not new: it moves from one order to the other.
  const details = { type: "SETTLEMENT" as const, origin_order_id: id };
  return { order: pay(tx, order, { provider: "SETTLEMENT", details }), card };
}
