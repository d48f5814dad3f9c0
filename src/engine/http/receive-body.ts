// Reads the bytes of a body with Express. An error is kept until the body is needed, so that a missing token is reported first.
import type { IncomingMessage } from "node:http";
import express from "express";
import { BODY_LIMIT, STATE_LIMIT } from "./body.ts";
import { encodeBody } from "./changed-request.ts";
import type { Middleware, SandboxRequest } from "./sandbox-router.ts";

/** Returns the maximum number of bytes of the body. */
export const findBodyLimit = ({ method, url = "" }: Pick<IncomingMessage, "method" | "url">): number =>
  method === "PUT" && /^\/_sandbox\/state(?:\?|$)/.test(url) ? STATE_LIMIT : BODY_LIMIT;

const createReader = (limit: number) => express.raw({ type: () => true, limit }) as unknown as Middleware;
const readBody = createReader(BODY_LIMIT);
const readState = createReader(STATE_LIMIT);

/** Does nothing for a body that has been received. */
export const receiveBody: Middleware = (request, response, next) => {
  if (request.raw !== undefined || request.unreadable !== undefined) return next();
  // A parser of the app that mounts the sandbox may have read the body.
  if (request.readableEnded) {
    request.raw = toBytes(request);
    return next();
  }
  const read = findBodyLimit(request) === STATE_LIMIT ? readState : readBody;
  read(request, response, (reason) => {
    if (reason !== undefined) request.unreadable = reason;
    else if (Buffer.isBuffer(request.body)) request.raw = request.body;
    next();
  });
};

/** Encodes a parsed body as it may have been sent. */
function toBytes({ body, headers }: SandboxRequest): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  if (typeof body === "string") return Buffer.from(body);
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return undefined;
  // A parser that is not strict returns null for the JSON text `null`.
  return encodeBody(body ?? "null", headers["content-type"]);
}
