// Rejects experiences with prices in several currencies, because a basket in two currencies can't be paid. Assumption:
// experience-currency.

import { reject } from "../kernel/domain-error.ts";
import type { BookingFee, Offer, Price } from "../kernel/records.ts";

type Priced = Pick<Offer, "price">;

/** The fields of an experience that have a price. The experience need not exist yet. */
interface Sellable {
  ticket_variants?: readonly (Priced & { add_on_variants?: readonly Priced[] })[];
  booking_fee?: BookingFee;
}

interface LocatedPrice {
  path: readonly (string | number)[];
  price: Price;
}

/** Lists every price of an experience with its path. The first variant's price is the first. */
export function getPrices({ ticket_variants = [], booking_fee }: Sellable): LocatedPrice[] {
  const variants = ticket_variants.flatMap(({ price, add_on_variants = [] }, index): LocatedPrice[] => {
    const path = ["ticket_variants", index];
    const addOns = add_on_variants.map((addOn, at) => ({ path: [...path, "add_on_variants", at], price: addOn.price }));
    return [{ path, price }, ...addOns];
  });
  const all = booking_fee ? [...variants, { path: ["booking_fee"], price: booking_fee.price }] : variants;
  return all.map(({ path, price }) => ({ path: [...path, "price"], price }));
}

/** Lists the prices in another currency than the first one's, each with what is wrong with it. */
export function listForeignPrices(experience: Sellable): { path: LocatedPrice["path"]; what: string }[] {
  const prices = getPrices(experience);
  // A list without prices has no foreign one.
  const own = prices[0]?.price.currency;
  return prices
    .filter(({ price }) => price.currency !== own)
    .map(({ path, price }) => ({
      path: [...path, "currency"],
      what: `is ${price.currency}, but the first price of this experience is in ${own}. Use one currency throughout.`,
    }));
}

/** Rejects with INVALID_INPUT, all foreign prices together. */
export function mustShareCurrency(experience: Sellable): void {
  const foreign = listForeignPrices(experience);
  if (foreign.length === 0) return;
  reject(
    "INVALID_INPUT",
    foreign.map(({ path, what }) => ({ path: ["body", ...path].join("."), what })),
  );
}
