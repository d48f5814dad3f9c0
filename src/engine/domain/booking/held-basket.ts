// What tickets hold already, as a basket: whether it is still offered or not, for a guest who has it can be moved. Assumption:
// booking-move.

import type { Hold } from "../event/sold.ts";
import type { Experience, Offer, Ticket, Variant } from "../kernel/records.ts";
import { type Basket, type BasketLine, offersOf } from "./basket.ts";

/** `resources_used` is missing on tickets of earlier versions; then they hold no shared resource here. */
export function heldBasket(
  experience: Experience,
  tickets: readonly Pick<Ticket, "items" | "seats" | "resources_used">[],
): Basket {
  const variants = new Map<string, BasketLine<Variant>>();
  const addOns = new Map<string, BasketLine<Offer>>();
  for (const { items, seats, resources_used = {} } of tickets) {
    for (const { type_id, item_type, quantity } of items) {
      if (item_type === "ADDON") add(addOns, offersOf(experience).get(type_id) ?? withdrawn(type_id), quantity);
      else {
        // As it is offered now: a moved guest takes what the new event's variant takes.
        const offered = experience.ticket_variants.find(({ id }) => id === type_id);
        add(variants, offered ?? withdrawn(type_id, { seats, resources_used }, quantity), quantity);
      }
    }
  }
  return { variants: [...variants.values()], addOns: [...addOns.values()] };
}

function add<O extends Offer>(lines: Map<string, BasketLine<O>>, offer: O, quantity: number): void {
  const known = lines.get(offer.id);
  lines.set(offer.id, known ? { ...known, quantity: known.quantity + quantity } : { offer, quantity });
}

/** An offer that is gone counts by what its tickets hold, and nothing limits it any more. */
const withdrawn = (
  id: string,
  { seats, resources_used }: Hold = { seats: 0, resources_used: {} },
  units = 1,
): Variant => ({
  id,
  name: {},
  price: { currency: "", value: 0, exponent: 0 },
  vat_rate: "0",
  // Per unit, for the basket multiplies by the quantity again.
  seats: Math.round(seats / units),
  resources: Object.entries(resources_used).map(([resource_id, held]) => ({
    resource_id,
    quantity: Math.round(held / units),
  })),
  add_on_variants: [],
});
