// GET /v1/bookings/{bookingId}/information-request-answers. Assumption: answers.

import { translate } from "../../domain/catalogue/language.ts";
import { loadBooking } from "../../domain/kernel/lookups.ts";
import { getLocale, read } from "../operation.ts";

export const listBookingInformationRequestAnswers = read("listBookingInformationRequestAnswers", (tx, { path }) => {
  const booking = loadBooking(tx, path.bookingId);
  const questions = tx.experiences.get(booking.experience_id)?.information_requests ?? [];
  const { storefront } = getLocale(tx, undefined);
  const items = booking.answers.map((answer) => {
    // Answers of earlier versions have no label.
    const label = answer.label ?? questions.find(({ id }) => id === answer.information_request_id)?.label;
    const text = label && translate(label, booking.locale, storefront);
    return { ...answer, label: text ?? answer.information_request_id };
  });
  return { items };
});
