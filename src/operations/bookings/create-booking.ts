// POST /v1/bookings. Heading "Bookings"; assumptions: booking-create-status, booking-customer-required,
// booking-event-unknown, booking-fee, booking-money, booking-source, empty-text.
import { placeBooking } from "../../domain/booking.ts";
import { optional } from "../../domain/optional.ts";
import { Refusal, refuse } from "../../domain/refusal.ts";
import type { Ask, Operation } from "../operation.ts";

type Customer = Ask<"createBooking">["body"]["customer"];

export const createBooking: Operation<"createBooking"> = {
  id: "createBooking",
  answer(desk, { body, caller }) {
    const event = desk.events.get(body.event_id);
    if (!event || event.deleted_at) {
      const status = desk.assumes("booking-event-unknown") === "404" ? 404 : 400;
      throw new Refusal("EVENT_NOT_FOUND", { event_id: body.event_id }, status);
    }
    const { event_id, customer, locale, items, metadata } = body;
    if (desk.assumes("empty-text") === "refuse") refuseEmptyTexts(customer);
    const wish = { event_id, customer, locale, items, ...(metadata ? { metadata } : {}) };
    const paid = desk.assumes("booking-money") === "unpaid" ? [] : [{ provider: "INTEGRATION" as const }];
    const charged = desk.assumes("booking-fee") === "charged-on-integrations";
    const fee = charged ? desk.experiences.get(event.experience_id)?.booking_fee : undefined;
    const booking = placeBooking(desk, event, { ...wish, source: caller.name, payments: paid, ...optional({ fee }) });
    const status = desk.assumes("booking-create-status") === "200" ? 200 : 201;
    return { status, body: { id: booking.id, status: booking.status } };
  },
};

function refuseEmptyTexts({ phone, vat_number, company_name, address }: Customer): void {
  const texts = { phone, vat_number, company_name, "address.region": address.region };
  const empty = Object.entries(texts).filter(([, text]) => text === "");
  if (empty.length === 0) return;
  const what = "it is empty. Leave it out, or give a text.";
  refuse(
    "INVALID_INPUT",
    empty.map(([name]) => ({ place: `body.customer.${name}`, what })),
  );
}
