// Reads a body with Express, and checks its content type, encoding, syntax, nesting and keys, which Prism does not.
// Assumptions: body-size (1 MiB, nesting to 64), error-codes.

import type { IncomingMessage } from "node:http";
import express from "express";
import { STATE_LIMIT } from "../settings.ts";
import { ContractError, HttpError } from "./errors.ts";
import { createViolation, type Exchange, type Middleware, readHeader, type SandboxRequest } from "./exchange.ts";

/** Bytes. */
export const BODY_LIMIT = 1024 * 1024;
const MAX_DEPTH = 64;
const JSON_TYPE = "application/json";
export const FORM_TYPE = "application/x-www-form-urlencoded";

/** Returns the parsed body, or undefined if none was sent. `accepted`: the media type of the operation's body, if it has one. */
export function readBody(exchange: Exchange, accepted: string | undefined): unknown {
  const { raw, unreadable } = exchange;
  // The error is thrown only here, so that a missing token is reported first.
  if (unreadable !== undefined) throw unreadable;
  // An operation without a body ignores what was sent.
  if (accepted === undefined || !raw || raw.length === 0) return undefined;
  const sent = readHeader(exchange, "content-type") ?? "none";
  // Most programs send only the type.
  if (sent !== accepted && readMediaType(sent) !== accepted) {
    const excerpt = sent.slice(0, 100);
    const message = `The body must be ${accepted}; the content-type of the request is ${excerpt}. Set the header content-type: ${accepted}.`;
    throw new HttpError(415, message, { rule: "media-type", values: { accepted, sent: excerpt } });
  }
  const text = decode(raw);
  return accepted === JSON_TYPE ? parse(text) : text;
}

/** Returns the type without parameters, or undefined if it is malformed or has an encoding other than UTF-8. */
function readMediaType(value: string): string | undefined {
  const [, type, parameters = ""] = /^\s*([\w.+-]+\/[\w.+-]+)\s*((?:;[^;]*)*)$/.exec(value) ?? [];
  // RFC 8259 requires UTF-8, which includes US-ASCII.
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(parameters)?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset) ? type?.toLowerCase() : undefined;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(raw: Buffer): string {
  try {
    return decoder.decode(raw);
  } catch {
    throw createBodyError("encoding", "The body is not valid UTF-8. Send it encoded as UTF-8.");
  }
}

function parse(text: string): unknown {
  assertShallow(text);
  try {
    // A reviver takes several times as long, so it is used only where it may be needed.
    return MAYBE_PROTO.test(text) ? JSON.parse(text, rejectProto) : JSON.parse(text);
  } catch (reason) {
    if (reason instanceof HttpError) throw reason;
    const why = (reason as Error).message.slice(0, 200);
    throw createBodyError("syntax", `The body is not valid JSON: ${why}. Check it with a JSON validator.`);
  }
}

/** Matches the key, plain or with an escape. */
const MAYBE_PROTO = /__proto__|\\u00/;

function createBodyError(code: string, message: string): ContractError {
  return new ContractError([createViolation(["body"], code, message)]);
}

/** A text can't become a prototype, so metadata may have this key. */
function rejectProto(key: string, value: unknown): unknown {
  if (key !== "__proto__" || typeof value === "string") return value;
  throw createBodyError("propertyNames", "body: the key __proto__ is not accepted. Remove it.");
}

/** Counts brackets outside strings, so that a deep body costs no recursion anywhere. */
function assertShallow(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (quoted) {
      if (char === 92) i++;
      else if (char === 34) quoted = false;
    } else if (char === 34) quoted = true;
    else if (char === 123 || char === 91) depth++;
    else if (char === 125 || char === 93) depth--;
    if (depth > MAX_DEPTH)
      throw createBodyError("depth", `The body is nested deeper than ${MAX_DEPTH} levels. Flatten it.`);
  }
}

export const findBodyLimit = ({ method, url = "" }: Pick<IncomingMessage, "method" | "url">): number =>
  method === "PUT" && /^\/_sandbox\/state(?:\?|$)/.test(url) ? STATE_LIMIT : BODY_LIMIT;

const createReceiver = (limit: number) => express.raw({ type: () => true, limit }) as unknown as Middleware;
const receiveSmallBody = createReceiver(BODY_LIMIT);
const receiveState = createReceiver(STATE_LIMIT);

/** Does nothing for a body that has been received. */
export const receiveBody: Middleware = (request, response, next) => {
  if (request.raw !== undefined || request.unreadable !== undefined) return next();
  // A parser of the app that mounts the sandbox may have read the body.
  if (request.readableEnded) {
    request.raw = toBytes(request);
    return next();
  }
  const receive = findBodyLimit(request) === STATE_LIMIT ? receiveState : receiveSmallBody;
  receive(request, response, (reason) => {
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

/** Encodes a body as JSON or, by its media type, as a form. Strings are not encoded. */
export function encodeBody(body: unknown, type: string | undefined): Buffer | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (!type?.startsWith(FORM_TYPE)) return Buffer.from(JSON.stringify(body));
  return Buffer.from(new URLSearchParams(body as Record<string, string>).toString());
}
