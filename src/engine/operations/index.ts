// Lists all operations of the public API.
import { getJournalEntry } from "./accounting/get-journal-entry.ts";
import { listJournalEntries } from "./accounting/list-journal-entries.ts";
import { recordJournalEntryActivity } from "./accounting/record-journal-entry-activity.ts";
import { getAvailability } from "./availability/get-availability.ts";
import { listAvailabilities } from "./availability/list-availabilities.ts";
import { createBooking } from "./bookings/create-booking.ts";
import { getBooking } from "./bookings/get-booking.ts";
import { listBookingInformationRequestAnswers } from "./bookings/list-booking-information-request-answers.ts";
import { listBookingTickets } from "./bookings/list-booking-tickets.ts";
import { listBookings } from "./bookings/list-bookings.ts";
import { getEvent } from "./events/get-event.ts";
import { getEventAvailability } from "./events/get-event-availability.ts";
import { listEventAvailabilities } from "./events/list-event-availabilities.ts";
import { listEvents } from "./events/list-events.ts";
import { getExperience } from "./experiences/get-experience.ts";
import { listContentBlocks } from "./experiences/list-content-blocks.ts";
import { listExperiences } from "./experiences/list-experiences.ts";
import { listInformationRequests } from "./experiences/list-information-requests.ts";
import { listTicketVariants } from "./experiences/list-ticket-variants.ts";
import { extendGiftCardExpiry } from "./gift-cards/extend-gift-card-expiry.ts";
import { getGiftCard } from "./gift-cards/get-gift-card.ts";
import { listGiftCards } from "./gift-cards/list-gift-cards.ts";
import { getLocation } from "./locations/get-location.ts";
import { listLocations } from "./locations/list-locations.ts";
import { getMarketingConsent } from "./marketing/get-marketing-consent.ts";
import { listMarketingConsents } from "./marketing/list-marketing-consents.ts";
import { getMe } from "./me/get-me.ts";
import { getOrder } from "./orders/get-order.ts";
import { listOrderLineItems } from "./orders/list-order-line-items.ts";
import { listOrderRefunds } from "./orders/list-order-refunds.ts";
import { listOrderTransactions } from "./orders/list-order-transactions.ts";
import { listOrders } from "./orders/list-orders.ts";
import { createWebhookSubscription } from "./webhooks/create-webhook-subscription.ts";
import { deleteWebhookSubscription } from "./webhooks/delete-webhook-subscription.ts";
import { getWebhookSubscription } from "./webhooks/get-webhook-subscription.ts";
import { listWebhookSubscriptions } from "./webhooks/list-webhook-subscriptions.ts";
import { replaceWebhookSubscription } from "./webhooks/replace-webhook-subscription.ts";

/** A test compares the list with the specification. */
export const operations = [
  getJournalEntry,
  listJournalEntries,
  recordJournalEntryActivity,
  getAvailability,
  listAvailabilities,
  createBooking,
  getBooking,
  listBookingInformationRequestAnswers,
  listBookingTickets,
  listBookings,
  getEventAvailability,
  getEvent,
  listEventAvailabilities,
  listEvents,
  getExperience,
  listContentBlocks,
  listExperiences,
  listInformationRequests,
  listTicketVariants,
  extendGiftCardExpiry,
  getGiftCard,
  listGiftCards,
  getLocation,
  listLocations,
  getMarketingConsent,
  listMarketingConsents,
  getMe,
  getOrder,
  listOrderLineItems,
  listOrderRefunds,
  listOrderTransactions,
  listOrders,
  createWebhookSubscription,
  deleteWebhookSubscription,
  getWebhookSubscription,
  listWebhookSubscriptions,
  replaceWebhookSubscription,
];
