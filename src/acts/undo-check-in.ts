// A check-in was a mistake. Heading "Ticket status".
import { undoCheckIn as undo } from "../domain/check-in.ts";
import { showTicket } from "../domain/shown.ts";
import { act } from "./act.ts";
import { ticketCalled } from "./named.ts";

export const undoCheckIn = act("undoCheckIn", (desk, { ticket_id }) =>
  showTicket(desk, undo(desk, ticketCalled(desk, ticket_id))),
);
