// A guest arrives. Headings "Ticket" (check_in) and "Ticket status".
import { checkIn } from "../domain/check-in.ts";
import { showTicket } from "../domain/shown.ts";
import { act } from "./act.ts";
import { ticketCalled } from "./named.ts";

export const checkInTicket = act("checkInTicket", (desk, { ticket_id, checked_in_by, method = "MANUAL" }) => {
  const by = checked_in_by ?? desk.company.get("company")?.user_id ?? "";
  return showTicket(desk, checkIn(desk, ticketCalled(desk, ticket_id), { checked_in_by: by, method }));
});
