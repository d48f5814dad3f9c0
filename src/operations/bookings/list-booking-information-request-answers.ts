// GET /v1/bookings/{bookingId}/information-request-answers. Assumption: answers.
import { inLanguage } from "../../domain/language.ts";
import { found } from "../../domain/refusal.ts";
import { read } from "../operation.ts";
import { tongueOf } from "../tongue.ts";

export const listBookingInformationRequestAnswers = read("listBookingInformationRequestAnswers", (desk, { path }) => {
  const booking = found(desk.bookings.get(path.bookingId), "booking", path.bookingId);
  const questions = desk.experiences.get(booking.experience_id)?.information_requests ?? [];
  const { storefront } = tongueOf(desk, undefined);
  const items = booking.answers.map((answer) => {
    const question = questions.find(({ id }) => id === answer.information_request_id);
    return { ...answer, label: question ? inLanguage(question.label, booking.locale, storefront) : "" };
  });
  return { items };
});
