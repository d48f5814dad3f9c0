// A check-in was a mistake. Heading "Ticket status".
import { undoCheckIn as undo } from "../domain/booking/check-in.ts";
import { showTicket } from "../domain/shown.ts";
import { act } from "./act.ts";
import { ticketCalled } from "./named.ts";

export const undoCheckIn = act("undoCheckIn", (tx, { ticket_id }) =>
  showTicket(tx, undo(tx, ticketCalled(tx, ticket_id))),
);
