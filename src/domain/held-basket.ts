// What tickets hold already, as a basket: whether it is still offered or not, for a guest who has it can be moved. Assumption:
// booking-move.
import { type Basket, type BasketLine, offersOf } from "./basket.ts";
import type { Experience, Item, Offer, Ticket, Variant } from "./records.ts";

export function heldBasket(experience: Experience, tickets: readonly Pick<Ticket, "items" | "seats">[]): Basket {
  const variants = new Map<string, BasketLine<Variant>>();
  const addOns = new Map<string, BasketLine<Offer>>();
  for (const { items, seats } of tickets) {
    for (const { type_id, item_type, quantity } of items) {
      const gone = withdrawn(type_id, Math.round(seats / quantity));
      if (item_type === "ADDON") add(addOns, offersOf(experience).get(type_id) ?? gone, quantity);
      else add(variants, experience.ticket_variants.find(({ id }) => id === type_id) ?? gone, quantity);
    }
  }
  return { variants: [...variants.values()], addOns: [...addOns.values()] };
}

/** The seats that these items take, as the basket has them. */
export function seatsIn({ variants }: Basket, items: readonly Item[]): number {
  const seatsOf = (id: string) => variants.find(({ offer }) => offer.id === id)?.offer.seats ?? 0;
  return items.reduce((seats, { type_id, quantity }) => seats + seatsOf(type_id) * quantity, 0);
}

function add<O extends Offer>(lines: Map<string, BasketLine<O>>, offer: O, quantity: number): void {
  const known = lines.get(offer.id);
  lines.set(offer.id, known ? { ...known, quantity: known.quantity + quantity } : { offer, quantity });
}

/** An offer that is gone counts by the seats of its tickets, and nothing limits it any more. */
const withdrawn = (id: string, seats: number): Variant => ({
  id,
  name: {},
  price: { currency: "", value: 0, exponent: 0 },
  vat_rate: "0",
  seats,
  add_on_variants: [],
});
