// What each act takes, by the control specification, and what it results in: the resource as the public API shows it, with the ids that
// the caller needs next. The compiler holds every act to its row, and so users of the library to what acts do.
import type { components } from "../../contract/generated/api.ts";
import type { components as control, operations } from "../../contract/generated/control.ts";

export type ActId = keyof ActResults;

export type ActInput<Id extends ActId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Body } };
}
  ? Body
  : never;

type Schemas = components["schemas"];

/** A booking with the order that carries its money, and its tickets. */
export type BookingResult = Schemas["Booking"] & { order_id: string; tickets: Schemas["Ticket"][] };

/** An order with the money on it. */
export type OrderResult = Schemas["Order"] & {
  line_items: Schemas["LineItem"][];
  transactions: Schemas["Transaction"][];
  refunds: Schemas["Refund"][];
};

export type ExperienceResult = Schemas["Experience"];

/** A key without its secret. */
export interface KeyResult {
  client_id: string;
  name: string;
  scopes: string[];
  created_at: string;
  revoked_at?: string;
}

type NewKeyResult = control["schemas"]["Credential"];

export interface ActResults {
  createExperience: ExperienceResult;
  updateExperience: ExperienceResult;
  archiveExperience: ExperienceResult;
  deleteExperience: ExperienceResult;
  addLocation: Schemas["Location"];
  removeLocation: Schemas["Location"];
  createEvent: Schemas["Event"];
  updateEvent: Schemas["Event"];
  activateEvent: Schemas["Event"];
  deactivateEvent: Schemas["Event"];
  cancelEvent: Schemas["Event"];
  deleteEvent: Schemas["Event"];
  lockEvent: Schemas["Event"];
  unlockEvent: Schemas["Event"];
  startCheckout: BookingResult;
  completeCheckout: BookingResult;
  abandonCheckout: BookingResult;
  bookAsHost: BookingResult;
  bookTimeslot: BookingResult;
  updateBooking: BookingResult;
  cancelBooking: BookingResult;
  moveBooking: BookingResult;
  checkInTicket: Schemas["Ticket"];
  undoCheckIn: Schemas["Ticket"];
  voidTicket: Schemas["Ticket"];
  payOrder: OrderResult;
  refundOrder: OrderResult;
  buyGiftCard: Schemas["GiftCard"];
  issueGiftCard: Schemas["GiftCard"];
  adjustGiftCard: Schemas["GiftCard"];
  spendGiftCard: Schemas["GiftCard"];
  voidGiftCard: Schemas["GiftCard"];
  recordAdjustment: Schemas["JournalEntry"];
  attachDocument: Schemas["JournalEntry"];
  submitConsent: Schemas["MarketingConsent"];
  createKey: NewKeyResult;
  updateKey: KeyResult;
  revokeKey: KeyResult;
}
