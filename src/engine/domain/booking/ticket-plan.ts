// Spreads a basket over tickets: one ticket per unit of a variant, with the add-ons distributed in order. Heading "Ticket";
// assumption: tickets.

import { computeCurrentHold, computeHold, type Hold } from "../event/sold.ts";
import type { Experience, Item, Variant } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { type Basket, canOffer, createItem, getItems, toOffers } from "./basket.ts";

/** A ticket before it is issued: its items, and the seats and resources that they take. */
export interface PlannedTicket extends Hold {
  items: Item[];
}

export function planTickets(tx: Transaction, basket: Basket): PlannedTicket[] {
  const offered = toOffers(basket);
  const plan = (items: Item[]): PlannedTicket => ({ items, ...computeHold(items, (id) => offered.get(id)) });
  if (tx.assumes("tickets") === "per-booking") return [plan(getItems(basket))];
  const tickets: { variant: Variant; items: Item[] }[] = [];
  for (const { offer, quantity } of basket.variants)
    for (let unit = 0; unit < quantity; unit++)
      tickets.push({ variant: offer, items: [createItem(offer.id, "VARIANT", 1)] });
  for (const { offer, quantity } of basket.addOns) {
    const takers = tickets.filter(({ variant }) => canOffer(variant, offer.id));
    takers.forEach(({ items }, index) => {
      const units = Math.floor(quantity / takers.length) + (index < quantity % takers.length ? 1 : 0);
      if (units > 0) items.push(createItem(offer.id, "ADDON", units));
    });
  }
  return tickets.map(({ items }) => plan(items));
}

/** Plans one ticket with these items. */
export function planTicket(experience: Experience, items: Item[]): PlannedTicket {
  return { items, ...computeCurrentHold(experience, items) };
}
