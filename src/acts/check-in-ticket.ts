// A guest arrives. Heading "Ticket status".
import { checkIn } from "../domain/check-in.ts";
import { showTicket } from "../domain/shown.ts";
import { ticketCalled } from "./named.ts";
import { act } from "./act.ts";

export const checkInTicket = act("checkInTicket", (desk, { ticket_id, checked_in_by, method = "MANUAL" }) => {
  const by = checked_in_by ?? desk.company.get("company")?.user_id ?? "";
  return showTicket(desk, checkIn(desk, ticketCalled(desk, ticket_id), { checked_in_by: by, method }));
});
