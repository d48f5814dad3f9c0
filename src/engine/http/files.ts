// The files that answers point at, no token needed: tickets, receipts and credit notes, each a real one-page PDF, and the pictures
// of fixtures. Assumptions: ticket-url, journal-documents, media-item.

import type { RequestsPort, WorldsPort } from "../app/application.ts";
import { receiptLines } from "../domain/money/receipt.ts";
import type { World } from "../world/state/world.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { onePage } from "./pdf.ts";
import { picture } from "./png.ts";

/** World, kind and id. */
const FILE = /^\/files\/([^/]+)\/(tickets|documents)\/([^/]+)\.pdf$/;

/** `path` within the files of the world. */
export function addressOf(base: string, world: string, path: string): string {
  return `${base}/files/${world}/${path}`;
}

const PICTURE = /^\/files\/([^/]+)\/media\/([a-z0-9-]{1,60})\.png$/;

/** Undefined where there is no such file, or the method reads nothing. */
export function fileAt(exchange: Exchange, application: WorldsPort & RequestsPort): Answer | undefined {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") return undefined;
  return pictureAt(exchange.path, application) ?? documentAt(exchange, application);
}

/** Drawn from its name: every name has a picture. */
function pictureAt(path: string, application: WorldsPort): Answer | undefined {
  const [, world = "", name] = PICTURE.exec(path) ?? [];
  if (name === undefined || !application.worlds.get(world)) return undefined;
  return { status: 200, headers: { "content-type": "image/png" }, body: picture(name) };
}

function documentAt(exchange: Exchange, application: WorldsPort & RequestsPort): Answer | undefined {
  const [, worldId = "", kind, id = ""] = FILE.exec(exchange.path) ?? [];
  const world = kind ? application.worlds.get(worldId) : undefined;
  const lines =
    world && (kind === "tickets" ? ticketLines(world, id, application) : documentLines(world, id, application));
  if (!lines) return undefined;
  return { status: 200, headers: { "content-type": "application/pdf" }, body: onePage(lines) };
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
