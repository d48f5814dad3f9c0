// Types the input of each act, from the control specification, and its result: the resource as the API returns it, with the
// ids that the caller needs next. The compiler checks every act and the library against these types.
import type { operations } from "../../contract/generated/control.ts";
import type { Schemas, ServiceSchemas } from "../../contract/schemas.ts";

export type ActId = keyof ActResults;

export type ActInput<Id extends ActId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Body } };
}
  ? Body
  : never;

/** A booking with the order that carries its money, and its tickets. */
export type BookingResult = ServiceSchemas["Booking"] & { order_id: string; tickets: ServiceSchemas["Ticket"][] };

/** An order with the money on it. */
export type OrderResult = ServiceSchemas["Order"] & {
  line_items: ServiceSchemas["LineItem"][];
  transactions: ServiceSchemas["Transaction"][];
  refunds: ServiceSchemas["Refund"][];
};

type ExperienceResult = ServiceSchemas["Experience"];

/** A key without its secret. */
export type KeyResult = Omit<Schemas["Credential"], "client_secret"> & { created_at: string; revoked_at?: string };

export interface ActResults {
  createExperience: ExperienceResult;
  updateExperience: ExperienceResult;
  archiveExperience: ExperienceResult;
  deleteExperience: ExperienceResult;
  addLocation: ServiceSchemas["Location"];
  removeLocation: ServiceSchemas["Location"];
  createEvent: ServiceSchemas["Event"];
  updateEvent: ServiceSchemas["Event"];
  activateEvent: ServiceSchemas["Event"];
  deactivateEvent: ServiceSchemas["Event"];
  cancelEvent: ServiceSchemas["Event"];
  deleteEvent: ServiceSchemas["Event"];
  lockEvent: ServiceSchemas["Event"];
  unlockEvent: ServiceSchemas["Event"];
  startCheckout: BookingResult;
  completeCheckout: BookingResult;
  abandonCheckout: BookingResult;
  bookAsHost: BookingResult;
  bookTimeslot: BookingResult;
  updateBooking: BookingResult;
  cancelBooking: BookingResult;
  moveBooking: BookingResult;
  checkInTicket: ServiceSchemas["Ticket"];
  undoCheckIn: ServiceSchemas["Ticket"];
  voidTicket: ServiceSchemas["Ticket"];
  payOrder: OrderResult;
  refundOrder: OrderResult;
  buyGiftCard: ServiceSchemas["GiftCard"];
  issueGiftCard: ServiceSchemas["GiftCard"];
  adjustGiftCard: ServiceSchemas["GiftCard"];
  spendGiftCard: ServiceSchemas["GiftCard"];
  voidGiftCard: ServiceSchemas["GiftCard"];
  recordAdjustment: ServiceSchemas["JournalEntry"];
  attachDocument: ServiceSchemas["JournalEntry"];
  submitConsent: ServiceSchemas["MarketingConsent"];
  createKey: Schemas["Credential"];
  updateKey: KeyResult;
  revokeKey: KeyResult;
}
