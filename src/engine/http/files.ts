// Serves the files that responses link to, without a token: tickets, receipts and credit notes, and the pictures of fixtures. All tickets and
// documents are the same PDF, and all pictures the same PNG. Assumptions: ticket-url, journal-documents, media-item.

import type { RequestsPort, WorldsPort } from "../app/application.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { readPackagedFile } from "./pages/packaged-file.ts";

/** `path` is relative to the files of the world. */
export function formatFileAddress(base: string, world: string, path: string): string {
  return `${base}/files/${world}/${path}`;
}

type FilePorts = WorldsPort & RequestsPort;

export const fileRoutes = [
  { path: "/files/:world/tickets/:id.pdf", make: serveTicket },
  { path: "/files/:world/documents/:id.pdf", make: serveJournalDocument },
  { path: "/files/:world/media/:id.png", make: servePicture },
];

function serveTicket(application: FilePorts, exchange: Exchange): Answer | undefined {
  return servePdf(application, exchange, (tx, id) => tx.tickets.get(id) !== undefined);
}

function serveJournalDocument(application: FilePorts, exchange: Exchange): Answer | undefined {
  return servePdf(application, exchange, (tx, id) => tx.entries.where("document", id).length > 0);
}

function servePdf(
  application: FilePorts,
  { params }: Exchange,
  exists: (tx: Transaction, id: string) => boolean,
): Answer | undefined {
  const world = application.worlds.get(params.world ?? "");
  if (!world || !application.read(world, (tx) => exists(tx, params.id ?? ""))) return undefined;
  return serveFile("application/pdf", "document.pdf");
}

/** Serves the same picture for every name. */
function servePicture({ worlds }: WorldsPort, { params: { world = "", id = "" } }: Exchange): Answer | undefined {
  if (!/^[a-z0-9-]{1,60}$/.test(id) || !worlds.get(world)) return undefined;
  return serveFile("image/png", "picture.png");
}

function serveFile(type: string, name: string): Answer {
  return { status: 200, headers: { "content-type": type }, body: readPackagedFile("spec", "files", name) };
}
