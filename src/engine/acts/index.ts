// Everything that the host can do.
import { bookingActs } from "./bookings.ts";
import { checkoutActs } from "./checkouts.ts";
import { consentActs } from "./consents.ts";
import { eventActs } from "./events.ts";
import { experienceActs } from "./experiences.ts";
import { giftCardActs } from "./gift-cards.ts";
import { journalActs } from "./journal.ts";
import { keyActs } from "./keys.ts";
import { locationActs } from "./locations.ts";
import { orderActs } from "./orders.ts";

export const acts = [
  ...experienceActs,
  ...locationActs,
  ...eventActs,
  ...checkoutActs,
  ...bookingActs,
  ...orderActs,
  ...giftCardActs,
  ...journalActs,
  ...consentActs,
  ...keyActs,
];

export type { ActId, ActInput, ActResults } from "./act-types.ts";
