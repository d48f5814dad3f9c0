// The bytes of a body, read by Express. A failure is kept until the body is needed, so that a missing token is reported before it.
import type { IncomingMessage } from "node:http";
import express from "express";
import { BODY_LIMIT, FORM_TYPE, STATE_LIMIT } from "./body.ts";
import type { Middleware, SandboxRequest } from "./sandbox-router.ts";

/** The most bytes that the body may have. */
export const findBodyLimit = ({ method, url = "" }: Pick<IncomingMessage, "method" | "url">): number =>
  method === "PUT" && /^\/_sandbox\/state(?:\?|$)/.test(url) ? STATE_LIMIT : BODY_LIMIT;

const createReader = (limit: number) => express.raw({ type: () => true, limit }) as unknown as Middleware;
const readBody = createReader(BODY_LIMIT);
const readState = createReader(STATE_LIMIT);

/** Does nothing for a body that has been received. */
export const receiveBody: Middleware = (request, response, next) => {
  if (request.raw !== undefined || request.unreadable !== undefined) return next();
  // A parser of the app that mounts the sandbox may have read it.
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

/** The body again as it may have been sent. */
function toBytes({ body, headers }: SandboxRequest): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  if (typeof body === "string") return Buffer.from(body);
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return undefined;
  const isForm = headers["content-type"]?.startsWith(FORM_TYPE);
  return Buffer.from(isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body));
}
