// Creates the acts of guests and hosts for each row of `business` in spec/soak.yaml, and updates the planned company accordingly.
// A row that finds nothing to act on, such as no booking to cancel, returns no acts.
import type { Company, PlannedBooking, PlannedEvent } from "./company.ts";
import type { Business, Draw } from "./rates.ts";
import { type Act, DAY, HOUR, type Step } from "./step.ts";

interface BusinessOccasion {
  company: Company;
  draw: Draw;
  /** The id for the record that the row creates. */
  id: string;
}

const MINUTE = 60_000;
/** The plan does not know the time zone of an event that it adds, so it assumes the zone farthest from UTC. */
const MAX_ZONE_OFFSET = 15 * HOUR;

const toAct = (name: string, input: object, later = 0): Act => ({ act: name, input: () => input, later });

const GUESTS = ["Anna Holm", "Bo Lind", "Carla Juhl", "Dan Friis", "Eva Dam", "Finn Berg", "Gry Lund", "Hugo Krag"];
function drawGuest(draw: Draw) {
  const name = draw.one(GUESTS) ?? "Anna Holm";
  return { name, email: `${name.split(" ")[0]?.toLowerCase()}@example.com`, phone: "+4520304050" };
}

// Events whose cutoff is less than an hour away are omitted, because time passes between the plan and the act.
const findOpenEvents = ({ events, now }: Company, seats: number): PlannedEvent[] =>
  events.filter(({ cutoff, left }) => cutoff > now + HOUR && left >= seats);
const drawComingBooking = ({ company, draw }: BusinessOccasion): PlannedBooking | undefined =>
  draw.one(company.bookings.filter(({ event }) => event.starts > company.now + HOUR));

/** Adds a booking to the plan and returns it with the input of its act. */
function planBooking({ company, draw, id }: BusinessOccasion, event: PlannedEvent | undefined, most = 4) {
  const variant = event?.experience.variants.find(({ seats = 1 }) => seats === 1);
  if (!event || !variant) return undefined;
  const quantity = draw.between(1, Math.min(most, event.left));
  // The plan counts seats, so that it rarely sells seats that are no longer available.
  event.left -= quantity;
  const booking: PlannedBooking = { id, event, variant, quantity };
  company.bookings.push(booking);
  return { booking, input: { id, event_id: event.id, customer: drawGuest(draw), items: toItems(booking) } };
}

const toItems = ({ variant, quantity }: PlannedBooking) => [{ type_id: variant.id, item_type: "VARIANT", quantity }];

function sellSeats(occasion: BusinessOccasion, event: PlannedEvent | undefined, later = 0, most?: number): Act[] {
  const booking = planBooking(occasion, event, most);
  const payments = [{ provider: "STRIPE" }];
  return booking ? [toAct("bookAsHost", { ...booking.input, skip_answers: true, payments }, later)] : [];
}

function removeFrom<T>(items: T[], item: T): void {
  items.splice(items.indexOf(item), 1);
}

function removeBooking(company: Company, booking: PlannedBooking): void {
  booking.event.left += booking.quantity;
  removeFrom(company.bookings, booking);
}

/** Adds an event of a random experience at this local time. */
function addEvent({ company, draw, id }: BusinessOccasion, start_time: string, end_time: string, total: number) {
  const like = draw.one(company.events.filter(({ experience }) => experience.variants.length > 0));
  if (!like) return undefined;
  const session = { start_time, end_time };
  const starts = Date.parse(`${start_time}Z`) - MAX_ZONE_OFFSET;
  const event = { ...like, id, starts, cutoff: starts, left: total, total, session };
  company.events.push(event);
  const sessions = [session];
  return { event, act: toAct("createEvent", { id, experience_id: like.experience.id, sessions, capacity: total }) };
}

/** Adds an event, and a booking of it unless the event is too soon. */
function addSoldEvent(occasion: BusinessOccasion, start: string, end: string): Act[] {
  const added = addEvent(occasion, start, end, 20);
  if (!added) return [];
  if (added.event.cutoff < occasion.company.now + HOUR) return [added.act];
  return [added.act, ...sellSeats({ ...occasion, id: `${occasion.id}-guest` }, added.event, MINUTE)];
}

const formatDate = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
const addHour = (local: string): string => new Date(Date.parse(`${local}Z`) + HOUR).toISOString().slice(0, 19);

/** The next day on which the clocks of the zone change, within a year. */
function findClockChange(timeZone: string, from: number): number | undefined {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const readOffset = (instant: number) =>
    format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value;
  // Offsets are compared at noon, because clocks change at night.
  const noon = Math.floor(from / DAY) * DAY + DAY / 2;
  for (let day = noon; day < noon + 366 * DAY; day += DAY)
    if (readOffset(day) !== readOffset(day + DAY)) return day + DAY;
  return undefined;
}

const TIMES = [
  ["10:00:00", "11:30:00"],
  ["14:00:00", "15:30:00"],
  ["19:00:00", "20:30:00"],
] as const;

/** A row of spec/soak.yaml without an entry here does not compile. */
export const makers: Readonly<Record<Business, (occasion: BusinessOccasion) => Step["does"]>> = {
  "guest-books": (occasion) => sellSeats(occasion, occasion.draw.one(findOpenEvents(occasion.company, 1))),

  "guest-checks-out": (occasion) => {
    const { company, draw, id } = occasion;
    const planned = planBooking(occasion, draw.one(findOpenEvents(company, 1)));
    if (!planned) return [];
    const start = toAct("startCheckout", planned.input);
    const end = draw.between(1, 4);
    // Half of the checkouts are completed, a quarter are abandoned, and a quarter lapse.
    if (end <= 2) return [start, toAct("completeCheckout", { booking_id: id }, 5 * MINUTE)];
    removeBooking(company, planned.booking);
    return end === 3 ? [start, toAct("abandonCheckout", { booking_id: id }, 5 * MINUTE)] : [start];
  },

  "guest-changes": (occasion) => {
    const booking = drawComingBooking(occasion);
    if (!booking) return [];
    const more = booking.quantity > 1 && (booking.event.left < 1 || occasion.draw.share() < 0.5) ? -1 : 1;
    if (booking.event.left < more) return [];
    booking.quantity += more;
    booking.event.left -= more;
    return [toAct("updateBooking", { booking_id: booking.id, items: toItems(booking) })];
  },

  "guest-moves": (occasion) => {
    const booking = drawComingBooking(occasion);
    const others = findOpenEvents(occasion.company, booking?.quantity ?? 0).filter(
      (event) => event !== booking?.event && event.experience === booking?.event.experience,
    );
    const event = occasion.draw.one(others);
    if (!booking || !event) return [];
    event.left -= booking.quantity;
    removeBooking(occasion.company, booking);
    return [toAct("moveBooking", { booking_id: booking.id, event_id: event.id })];
  },

  "guest-cancels": (occasion) => {
    const booking = drawComingBooking(occasion);
    if (!booking) return [];
    removeBooking(occasion.company, booking);
    const refund = occasion.draw.one([{ refund: "full" }, { refund: "none" }, { refund: "amount", amount: 1000 }]);
    return [toAct("cancelBooking", { booking_id: booking.id, ...refund })];
  },

  "host-refunds": ({ company, draw }) => {
    const booking = draw.one(company.bookings);
    // Amounts are odd, so that a rounding error becomes visible.
    const amount = draw.between(1, 20) * 333;
    if (!booking) return [];
    // The id of the order is only known after the booking was created.
    const input: Act["input"] = (known) => {
      const order_id = known(booking.id)?.order_id;
      return order_id === undefined ? undefined : { order_id, amount };
    };
    return [{ act: "refundOrder", input }];
  },

  "host-checks-in": ({ company, draw }) => {
    const booking = draw.one(company.bookings.filter(({ event }) => Math.abs(event.starts - company.now) < DAY));
    if (!booking) return [];
    const input: Act["input"] = (known) => {
      const [ticket] = (known(booking.id)?.tickets ?? []) as readonly { id: string }[];
      return ticket && { ticket_id: ticket.id };
    };
    removeFrom(company.bookings, booking);
    return [{ act: "checkInTicket", input }];
  },

  "host-adds-an-event": (occasion) => {
    const { company, draw } = occasion;
    const date = formatDate(company.now + draw.between(3, 20) * DAY);
    const [start, end] = draw.one(TIMES) ?? TIMES[0];
    const added = addEvent(occasion, `${date}T${start}`, `${date}T${end}`, draw.between(8, 30));
    return added ? [added.act] : [];
  },

  "host-changes-an-event": ({ company, draw }) => {
    const event = draw.one(findOpenEvents(company, 0));
    if (!event) return [];
    const more = draw.between(1, 8);
    event.total += more;
    event.left += more;
    return [toAct("updateEvent", { event_id: event.id, capacity: event.total })];
  },

  "host-moves-an-event": ({ company, draw }) => {
    const event = draw.one(findOpenEvents(company, 0).filter(({ session }) => session !== undefined));
    if (!event?.session) return [];
    const { start_time, end_time } = event.session;
    event.session = { start_time: addHour(start_time), end_time: addHour(end_time) };
    return [toAct("updateEvent", { event_id: event.id, sessions: [event.session] })];
  },

  "host-cancels-an-event": ({ company, draw }) => {
    const event = draw.one(findOpenEvents(company, 0));
    if (!event) return [];
    removeFrom(company.events, event);
    company.bookings = company.bookings.filter((booking) => booking.event !== event);
    return [toAct("cancelEvent", { event_id: event.id })];
  },

  "host-sells-a-gift-card": ({ company, draw, id }) => {
    company.cards.push(id);
    return [toAct("buyGiftCard", { id, initial_value: draw.between(2, 20) * 5000, customer: drawGuest(draw) })];
  },

  "host-voids-a-gift-card": ({ company, draw }) => {
    const id = draw.one(company.cards);
    if (id === undefined) return [];
    removeFrom(company.cards, id);
    return [toAct("voidGiftCard", { gift_card_id: id, refund: draw.share() < 0.5 })];
  },

  "host-changes-the-catalogue": ({ company, draw }) => {
    const experience = draw.one(company.experiences);
    const name = `Tour of the ${draw.one(["spring", "summer", "autumn", "winter"])}`;
    return experience ? [toAct("updateExperience", { experience_id: experience.id, name })] : [];
  },

  "host-cancels-for-the-program": () => [{ own: "cancelBooking" }],
  "host-moves-for-the-program": () => [{ own: "moveBooking" }],

  "event-sells-out": (occasion) => {
    const { company, draw, id } = occasion;
    const date = formatDate(company.now + 5 * DAY);
    const total = draw.between(6, 12);
    const added = addEvent(occasion, `${date}T19:00:00`, `${date}T20:30:00`, total);
    if (!added) return [];
    // The seats are sold one at a time until none is left, so that the program meets a full event.
    const numbers = Array.from({ length: total }, (_, nth) => nth + 1);
    const sales = numbers.flatMap((nth) => sellSeats({ company, draw, id: `${id}-${nth}` }, added.event, MINUTE, 1));
    return [added.act, ...sales];
  },

  "night-of-the-changed-clock": (occasion) => {
    const { company, draw } = occasion;
    const timezone = draw.one(company.events)?.timezone;
    const night = timezone === undefined ? undefined : findClockChange(timezone, company.now + DAY);
    if (night === undefined) return [];
    // The clocks of the zone change during the event, so it starts and ends with different offsets.
    return addSoldEvent(occasion, `${formatDate(night)}T01:00:00`, `${formatDate(night)}T04:30:00`);
  },

  "end-of-the-month": (occasion) => {
    const now = new Date(occasion.company.now + DAY);
    const lastDay = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - DAY;
    // The event starts on the last day of the month by UTC, and ends in the next month.
    return addSoldEvent(occasion, `${formatDate(lastDay)}T23:00:00`, `${formatDate(lastDay + DAY)}T00:30:00`);
  },
};
