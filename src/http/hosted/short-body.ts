// A body that is short enough to be sent twice is read first; a longer one is sent on as it comes.
import type { Request } from "express";
import { BODY_LIMIT } from "../body.ts";

export async function shortBody(request: Request): Promise<Buffer | "passed on"> {
  const length = Number(request.headers["content-length"] ?? 0);
  if (request.headers["transfer-encoding"] !== undefined || !(length <= BODY_LIMIT)) return "passed on";
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
