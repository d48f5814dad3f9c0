// A guest arrives. Headings "Ticket" (check_in) and "Ticket status".
import { checkIn } from "../domain/booking/check-in.ts";
import { showTicket } from "../domain/shown.ts";
import { act } from "./act.ts";
import { ticketCalled } from "./named.ts";

export const checkInTicket = act("checkInTicket", (tx, { ticket_id, checked_in_by, method = "MANUAL" }) => {
  const by = checked_in_by ?? tx.company.get("company")?.user_id ?? "";
  return showTicket(tx, checkIn(tx, ticketCalled(tx, ticket_id), { checked_in_by: by, method }));
});
