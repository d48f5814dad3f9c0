// The bytes of a body as they come. Nearly every request says how many it sends, and sends them plain: those are read here. What is
// encoded, sent in chunks or too long is read by Express, which is loaded with the first of them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { BODY_LIMIT, STATE_LIMIT } from "./body.ts";

/** `body`: what was read. `baseUrl`: where Express has mounted us. */
export type Arriving = IncomingMessage & { body?: unknown; baseUrl?: string };

/** `then`: goes on with the body, or with why it can't be read. */
export type ReadBytes = (request: Arriving, response: ServerResponse, then: (unreadable?: unknown) => void) => void;

export const readBytes: ReadBytes = (request, response, then) => {
  const { "content-length": length, "content-encoding": encoding, "transfer-encoding": sent } = request.headers;
  const limit = limitOf(request);
  const isRead = Buffer.isBuffer(request.body);
  if (isRead || (sent === undefined && length === undefined)) then();
  else if (sent === undefined && encoding === undefined && Number(length) <= limit)
    collect(request, Number(length), then);
  else void readByExpress(limit).then((read) => read(request as never, response as never, then), then);
};

/** The most bytes that the body may have. */
export const limitOf = ({ method, url = "" }: IncomingMessage): number =>
  method === "PUT" && /^\/_sandbox\/state(?:\?|$)/.test(url) ? STATE_LIMIT : BODY_LIMIT;

/** As the body reader of Express calls it. */
const ABORTED = { type: "request.aborted", status: 400, message: "request aborted" };

/** Into its place as it comes: to join a hundred megabytes at the end would keep others waiting. */
function collect(request: Arriving, length: number, then: (unreadable?: unknown) => void): void {
  const body = Buffer.allocUnsafe(length);
  let at = 0;
  request.on("data", (piece: Buffer) => {
    at += piece.copy(body, at);
  });
  request.on("end", () => {
    request.body = body;
    then();
  });
  request.on("close", () => request.complete || then(ABORTED));
}

const readers = new Map<number, Promise<RequestHandler>>();

function readByExpress(limit: number): Promise<RequestHandler> {
  const known =
    readers.get(limit) ?? import("express").then(({ default: { raw } }) => raw({ type: () => true, limit }));
  readers.set(limit, known);
  return known;
}
