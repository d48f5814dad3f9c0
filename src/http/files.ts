// The files that answers point at: tickets, receipts and credit notes, each a real one-page PDF, no token needed.
// Assumptions: ticket-url, journal-documents.
import { receiptLines } from "../domain/receipt.ts";
import type { World } from "../world/world.ts";
import type { Answer, Exchange } from "./exchange.ts";
import type { House } from "./house.ts";
import { onePage } from "./pdf.ts";

const FILE = /^\/files\/([^/]+)\/(tickets|documents)\/([^/]+)\.pdf$/;

export function addressOf(base: string, world: string, path: string): string {
  return `${base}/files/${world}/${path}`;
}

export function fileAt(exchange: Exchange, house: House): Answer | undefined {
  const [, worldId = "", kind, id = ""] = FILE.exec(exchange.path) ?? [];
  const world = kind ? house.worlds.get(worldId) : undefined;
  const lines = world && (kind === "tickets" ? ticketLines(world, id, house) : documentLines(world, id, house));
  if (!lines || (exchange.method !== "GET" && exchange.method !== "HEAD")) return undefined;
  return { status: 200, headers: { "content-type": "application/pdf" }, body: onePage(lines) };
}

function ticketLines(world: World, id: string, house: House): string[] | undefined {
  return house.look(world, (desk) => {
    const ticket = desk.tickets.get(id);
    const event = ticket && desk.events.get(ticket.event_id);
    if (!ticket || !event) return undefined;
    const session = event.sessions[0];
    const items = ticket.items.map((item) => `${item.quantity} x ${item.type_id}`);
    return [
      `Ticket ${ticket.id}`,
      `Event ${event.id}`,
      `${session?.start_time} ${session?.timezone}`,
      ...items,
      ticket.status,
      "Made by experience-sandbox; not valid for entry.",
    ];
  });
}

function documentLines(world: World, id: string, house: House): string[] | undefined {
  return house.look(world, (desk) => {
    const [entry] = desk.entries.where("document", id);
    return entry && receiptLines(desk, entry, id);
  });
}
