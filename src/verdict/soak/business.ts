// What guests and hosts do, a maker for each row of `business` in spec/soak.yaml: the acts of one occasion, and what the company is
// supposed to be after them. A maker that finds nothing to do makes nothing.
import type { Company, PlannedBooking, PlannedEvent, Variant } from "./company.ts";
import type { Business, Draw } from "./rates.ts";
import { type Act, DAY, HOUR, type Step } from "./step.ts";

interface BusinessOccasion {
  company: Company;
  draw: Draw;
  /** For what comes to be. */
  id: string;
}

type Maker = (occasion: BusinessOccasion) => Step["does"];

const MINUTE = 60_000;
/** A plan does not know the zone of an event that it adds. */
const FAR = 15 * HOUR;

const act = (name: string, input: object, later = 0): Act => ({ act: name, input: () => input, later });

const GUESTS = ["Anna Holm", "Bo Lind", "Carla Juhl", "Dan Friis", "Eva Dam", "Finn Berg", "Gry Lund", "Hugo Krag"];
function guest(draw: Draw) {
  const name = draw.one(GUESTS) ?? "Anna Holm";
  return { name, email: `${name.split(" ")[0]?.toLowerCase()}@example.com`, phone: "+4520304050" };
}

const seatsOf = ({ seats = 1 }: Variant): number => seats;
// An hour before the cutoff at least: time passes between the plan and the act.
const open = ({ events, now }: Company, seats: number): PlannedEvent[] =>
  events.filter(({ cutoff, left }) => cutoff > now + HOUR && left >= seats);
const coming = ({ bookings, now }: Company): PlannedBooking[] =>
  bookings.filter(({ event }) => event.starts > now + HOUR);

/** The input of a booking by a guest, which takes its seats. */
function booked({ company, draw, id }: BusinessOccasion, event: PlannedEvent | undefined, most = 4) {
  const variant = event?.experience.variants.find((each) => seatsOf(each) === 1);
  if (!event || !variant) return undefined;
  const quantity = draw.between(1, Math.min(most, event.left));
  // The plan keeps count, so that it seldom sells what is not there.
  event.left -= quantity;
  const booking: PlannedBooking = { id, event, variant, quantity };
  company.bookings.push(booking);
  const items = [{ type_id: variant.id, item_type: "VARIANT", quantity }];
  return { booking, input: { id, event_id: event.id, customer: guest(draw), items } };
}

const gone = (company: Company, booking: PlannedBooking) => {
  booking.event.left += booking.quantity;
  company.bookings.splice(company.bookings.indexOf(booking), 1);
};

/** A new event like one that there is, at this local time. */
function added({ company, draw, id }: BusinessOccasion, date: string, time: readonly [string, string], total: number) {
  const like = draw.one(company.events.filter(({ experience }) => experience.variants.length > 0));
  if (!like) return undefined;
  const [start_time, end_time] = time;
  const session = { start_time: `${date}T${start_time}`, end_time };
  const starts = Date.parse(`${session.start_time}Z`) - FAR;
  const event = { ...like, id, starts, cutoff: starts, left: total, total, session };
  company.events.push(event);
  const sessions = [session];
  return { event, does: act("createEvent", { id, experience_id: like.experience.id, sessions, capacity: total }) };
}

const dateOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

const sold: Maker = (occasion) => {
  const booking = booked(occasion, occasion.draw.one(open(occasion.company, 1)));
  return booking
    ? [act("bookAsHost", { ...booking.input, skip_answers: true, payments: [{ provider: "STRIPE" }] })]
    : [];
};

const checksOut: Maker = (occasion) => {
  const { company, draw, id } = occasion;
  const booking = booked(occasion, draw.one(open(company, 1)));
  if (!booking) return [];
  const starts = act("startCheckout", booking.input);
  const end = draw.between(1, 4);
  // Half of the checkouts are completed, a quarter abandoned, a quarter just lapse.
  if (end <= 2) return [starts, act("completeCheckout", { booking_id: id }, 5 * MINUTE)];
  gone(company, booking.booking);
  return end === 3 ? [starts, act("abandonCheckout", { booking_id: id }, 5 * MINUTE)] : [starts];
};

const changes: Maker = ({ company, draw }) => {
  const booking = draw.one(coming(company));
  if (!booking) return [];
  const more = booking.quantity > 1 && (booking.event.left < 1 || draw.share() < 0.5) ? -1 : 1;
  if (booking.event.left < more) return [];
  booking.quantity += more;
  booking.event.left -= more;
  const items = [{ type_id: booking.variant.id, item_type: "VARIANT", quantity: booking.quantity }];
  return [act("updateBooking", { booking_id: booking.id, items })];
};

const moves: Maker = ({ company, draw }) => {
  const booking = draw.one(coming(company));
  const others = open(company, booking?.quantity ?? 0).filter(
    (event) => event !== booking?.event && event.experience === booking?.event.experience,
  );
  const event = draw.one(others);
  if (!booking || !event) return [];
  event.left -= booking.quantity;
  gone(company, booking);
  return [act("moveBooking", { booking_id: booking.id, event_id: event.id })];
};

const cancels: Maker = ({ company, draw }) => {
  const booking = draw.one(coming(company));
  if (!booking) return [];
  gone(company, booking);
  const refund = draw.one([{ refund: "full" }, { refund: "none" }, { refund: "amount", amount: 1000 }]);
  return [act("cancelBooking", { booking_id: booking.id, ...refund })];
};

const refunds: Maker = ({ company, draw }) => {
  const booking = draw.one(company.bookings);
  // Odd amounts, so that a rounding shows.
  const amount = draw.between(1, 20) * 333;
  if (!booking) return [];
  // The order's id is only known when the booking has been made.
  const input = (known: Parameters<Act["input"]>[0]) => {
    const order_id = known(booking.id)?.order_id;
    return order_id === undefined ? undefined : { order_id, amount };
  };
  return [{ act: "refundOrder", input }];
};

const checksIn: Maker = ({ company, draw }) => {
  const booking = draw.one(company.bookings.filter(({ event }) => Math.abs(event.starts - company.now) < DAY));
  if (!booking) return [];
  const input = (known: Parameters<Act["input"]>[0]) => {
    const [ticket] = (known(booking.id)?.tickets ?? []) as readonly { id: string }[];
    return ticket && { ticket_id: ticket.id };
  };
  company.bookings.splice(company.bookings.indexOf(booking), 1);
  return [{ act: "checkInTicket", input }];
};

const TIMES = [
  ["10:00:00", "11:30:00"],
  ["14:00:00", "15:30:00"],
  ["19:00:00", "20:30:00"],
] as const;

const addsEvent: Maker = (occasion) => {
  const { company, draw } = occasion;
  const date = dateOf(company.now + draw.between(3, 20) * DAY);
  const [start, end] = draw.one(TIMES) ?? TIMES[0];
  const made = added(occasion, date, [start, `${date}T${end}`], draw.between(8, 30));
  return made ? [made.does] : [];
};

const changesEvent: Maker = ({ company, draw }) => {
  const event = draw.one(open(company, 0));
  if (!event) return [];
  const more = draw.between(1, 8);
  event.total += more;
  event.left += more;
  return [act("updateEvent", { event_id: event.id, capacity: event.total })];
};

const hourLater = (local: string): string => new Date(Date.parse(`${local}Z`) + HOUR).toISOString().slice(0, 19);

const movesEvent: Maker = ({ company, draw }) => {
  const event = draw.one(open(company, 0).filter(({ session }) => session !== undefined));
  if (!event?.session) return [];
  const { start_time, end_time } = event.session;
  event.session = { start_time: hourLater(start_time), end_time: hourLater(end_time) };
  return [act("updateEvent", { event_id: event.id, sessions: [event.session] })];
};

const cancelsEvent: Maker = ({ company, draw }) => {
  const event = draw.one(open(company, 0));
  if (!event) return [];
  company.events.splice(company.events.indexOf(event), 1);
  company.bookings = company.bookings.filter((booking) => booking.event !== event);
  return [act("cancelEvent", { event_id: event.id })];
};

const sellsCard: Maker = ({ company, draw, id }) => {
  company.cards.push(id);
  return [act("buyGiftCard", { id, initial_value: draw.between(2, 20) * 5000, customer: guest(draw) })];
};

const voidsCard: Maker = ({ company, draw }) => {
  const id = draw.one(company.cards);
  if (id === undefined) return [];
  company.cards.splice(company.cards.indexOf(id), 1);
  return [act("voidGiftCard", { gift_card_id: id, refund: draw.share() < 0.5 })];
};

const changesCatalogue: Maker = ({ company, draw }) => {
  const experience = draw.one(company.experiences);
  const season = draw.one(["spring", "summer", "autumn", "winter"]);
  return experience ? [act("updateExperience", { experience_id: experience.id, name: `Tour of the ${season}` })] : [];
};

const sellsOut: Maker = (occasion) => {
  const { company, draw, id } = occasion;
  const date = dateOf(company.now + 5 * DAY);
  // Sold one by one to the last seat, so that the program meets a full event.
  const total = draw.between(6, 12);
  const made = added(occasion, date, ["19:00:00", `${date}T20:30:00`], total);
  if (!made) return [];
  const bookings = Array.from({ length: total }, (_, nth) =>
    booked({ company, draw, id: `${id}-${nth + 1}` }, made.event, 1),
  );
  const payments = [{ provider: "STRIPE" }];
  return [
    made.does,
    ...bookings.flatMap((each) =>
      each ? [act("bookAsHost", { ...each.input, skip_answers: true, payments }, MINUTE)] : [],
    ),
  ];
};

const changedClock: Maker = (occasion) => {
  const { company, draw } = occasion;
  const timezone = draw.one(company.events)?.timezone;
  // The night in which the zone's clocks change; an event across it begins and ends by other offsets.
  const night = timezone === undefined ? undefined : nextChange(timezone, company.now + DAY);
  if (night === undefined) return [];
  const made = added(occasion, dateOf(night), ["01:00:00", `${dateOf(night)}T04:30:00`], 20);
  return made ? [made.does, ...soldOn(occasion, made.event)] : [];
};

const endOfMonth: Maker = (occasion) => {
  const { company } = occasion;
  const now = new Date(company.now + DAY);
  // The last day of the month, by UTC; the event ends in the next one.
  const last = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - DAY;
  const made = added(occasion, dateOf(last), ["23:00:00", `${dateOf(last + DAY)}T00:30:00`], 20);
  return made ? [made.does, ...soldOn(occasion, made.event)] : [];
};

/** A booking of an event that has just been added, where it is not too near. */
function soldOn({ company, draw, id }: BusinessOccasion, event: PlannedEvent): Act[] {
  if (event.cutoff < company.now + HOUR) return [];
  const booking = booked({ company, draw, id: `${id}-guest` }, event);
  const payments = [{ provider: "STRIPE" }];
  return booking ? [act("bookAsHost", { ...booking.input, skip_answers: true, payments }, MINUTE)] : [];
}

/** The next day on which the clocks of the zone change, within a year. */
function nextChange(timeZone: string, from: number): number | undefined {
  const form = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const offset = (instant: number) => form.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value;
  // At noon, since clocks change in the night.
  const noon = Math.floor(from / DAY) * DAY + DAY / 2;
  for (let day = noon; day < noon + 366 * DAY; day += DAY) if (offset(day) !== offset(day + DAY)) return day + DAY;
  return undefined;
}

/** A row of spec/soak.yaml without a maker does not compile. */
export const makers: Readonly<Record<Business, Maker>> = {
  "guest-books": sold,
  "guest-checks-out": checksOut,
  "guest-changes": changes,
  "guest-moves": moves,
  "guest-cancels": cancels,
  "host-refunds": refunds,
  "host-checks-in": checksIn,
  "host-adds-an-event": addsEvent,
  "host-changes-an-event": changesEvent,
  "host-moves-an-event": movesEvent,
  "host-cancels-an-event": cancelsEvent,
  "host-sells-a-gift-card": sellsCard,
  "host-voids-a-gift-card": voidsCard,
  "host-changes-the-catalogue": changesCatalogue,
  "host-cancels-for-the-program": () => [{ own: "cancelBooking" }],
  "host-moves-for-the-program": () => [{ own: "moveBooking" }],
  "event-sells-out": sellsOut,
  "night-of-the-changed-clock": changedClock,
  "end-of-the-month": endOfMonth,
};
