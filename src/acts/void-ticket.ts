// One ticket is no longer good; its seats are free again. Heading "Ticket status".
import { voidTicket as end } from "../domain/check-in.ts";
import { showTicket } from "../domain/shown.ts";
import { act } from "./act.ts";
import { ticketCalled } from "./named.ts";

export const voidTicket = act("voidTicket", (desk, { ticket_id }) =>
  showTicket(desk, end(desk, ticketCalled(desk, ticket_id))),
);
