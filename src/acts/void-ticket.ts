// One ticket is no longer good; its seats are free again. Heading "Ticket status".
import { voidTicket as end } from "../domain/booking/check-in.ts";
import { showTicket } from "../domain/shown.ts";
import { act } from "./act.ts";
import { ticketCalled } from "./named.ts";

export const voidTicket = act("voidTicket", (tx, { ticket_id }) =>
  showTicket(tx, end(tx, ticketCalled(tx, ticket_id))),
);
