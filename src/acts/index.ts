// Everything that the host can do, one line each.
import { abandonCheckout } from "./abandon-checkout.ts";
import { activateEvent } from "./activate-event.ts";
import { addLocation } from "./add-location.ts";
import { adjustGiftCard } from "./adjust-gift-card.ts";
import { archiveExperience } from "./archive-experience.ts";
import { attachDocument } from "./attach-document.ts";
import { bookAsHost } from "./book-as-host.ts";
import { bookTimeslot } from "./book-timeslot.ts";
import { buyGiftCard } from "./buy-gift-card.ts";
import { cancelBooking } from "./cancel-booking.ts";
import { cancelEvent } from "./cancel-event.ts";
import { checkInTicket } from "./check-in-ticket.ts";
import { completeCheckout } from "./complete-checkout.ts";
import { createEvent } from "./create-event.ts";
import { createExperience } from "./create-experience.ts";
import { createKey } from "./create-key.ts";
import { deactivateEvent } from "./deactivate-event.ts";
import { deleteEvent } from "./delete-event.ts";
import { deleteExperience } from "./delete-experience.ts";
import { issueGiftCard } from "./issue-gift-card.ts";
import { lockEvent } from "./lock-event.ts";
import { moveBooking } from "./move-booking.ts";
import { payOrder } from "./pay-order.ts";
import { recordAdjustment } from "./record-adjustment.ts";
import { refundOrder } from "./refund-order.ts";
import { removeLocation } from "./remove-location.ts";
import { revokeKey } from "./revoke-key.ts";
import { spendGiftCard } from "./spend-gift-card.ts";
import { startCheckout } from "./start-checkout.ts";
import { submitConsent } from "./submit-consent.ts";
import { undoCheckIn } from "./undo-check-in.ts";
import { unlockEvent } from "./unlock-event.ts";
import { updateBooking } from "./update-booking.ts";
import { updateEvent } from "./update-event.ts";
import { updateExperience } from "./update-experience.ts";
import { updateKey } from "./update-key.ts";
import { voidGiftCard } from "./void-gift-card.ts";
import { voidTicket } from "./void-ticket.ts";

export const acts = [
  createExperience,
  updateExperience,
  archiveExperience,
  deleteExperience,
  createEvent,
  updateEvent,
  activateEvent,
  deactivateEvent,
  cancelEvent,
  deleteEvent,
  lockEvent,
  unlockEvent,
  startCheckout,
  completeCheckout,
  abandonCheckout,
  bookAsHost,
  bookTimeslot,
  payOrder,
  refundOrder,
  cancelBooking,
  moveBooking,
  updateBooking,
  checkInTicket,
  undoCheckIn,
  voidTicket,
  buyGiftCard,
  issueGiftCard,
  adjustGiftCard,
  spendGiftCard,
  voidGiftCard,
  submitConsent,
  addLocation,
  removeLocation,
  recordAdjustment,
  attachDocument,
  createKey,
  updateKey,
  revokeKey,
];
