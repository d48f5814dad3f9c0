// The files that answers point at, no token needed: tickets, receipts and credit notes, each a real one-page PDF, and the pictures
// of fixtures. Assumptions: ticket-url, journal-documents, media-item.

import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { receiptLines } from "../domain/money/receipt.ts";
import type { World } from "../world/state/world.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { onePage } from "./pdf.ts";
import { picture } from "./png.ts";

/** `path` within the files of the world. */
export function addressOf(base: string, world: string, path: string): string {
  return `${base}/files/${world}/${path}`;
}

type FilePorts = WorldsPort & RequestsPort;

export const fileRoutes = [
  {
    path: "/files/:world/tickets/:id.pdf",
    make: (application: FilePorts, exchange: Exchange) => createPdf(application, exchange, ticketLines),
  },
  {
    path: "/files/:world/documents/:id.pdf",
    make: (application: FilePorts, exchange: Exchange) => createPdf(application, exchange, documentLines),
  },
  { path: "/files/:world/media/:id.png", make: createPicture },
];

/** Drawn from its name: every name has a picture. */
function createPicture({ worlds }: WorldsPort, { params: { world = "", id = "" } }: Exchange): Answer | undefined {
  if (!/^[a-z0-9-]{1,60}$/.test(id) || !worlds.get(world)) return undefined;
  return { status: 200, headers: { "content-type": "image/png" }, body: picture(id) };
}

function createPdf(
  application: FilePorts,
  { params }: Exchange,
  readLines: (world: World, id: string, application: RequestsPort) => string[] | undefined,
): Answer | undefined {
  const world = application.worlds.get(params.world ?? "");
  const lines = world && readLines(world, params.id ?? "", application);
  return lines && { status: 200, headers: { "content-type": "application/pdf" }, body: onePage(lines) };
}

function ticketLines(world: World, id: string, application: RequestsPort): string[] | undefined {
  return application.read(world, (tx) => {
    const ticket = tx.tickets.get(id);
    const event = ticket && tx.events.get(ticket.event_id);
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

function documentLines(world: World, id: string, application: RequestsPort): string[] | undefined {
  return application.read(world, (tx) => {
    const [entry] = tx.entries.where("document", id);
    return entry && receiptLines(tx, entry, id);
  });
}
