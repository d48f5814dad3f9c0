// Reading a body, before anybody relies on it: content type, encoding, syntax, nesting, keys. What Prism leaves open here is
// closed here. Assumptions: body-size (1 MiB, nesting to 64), error-codes.

import { ContractError, HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { header } from "./exchange.ts";

export { STATE_LIMIT } from "../settings.ts";

/** Bytes. */
export const BODY_LIMIT = 1024 * 1024;
const DEEPEST = 64;
const JSON_TYPE = "application/json";
export const FORM_TYPE = "application/x-www-form-urlencoded";

/** The parsed body, or undefined where none was sent. `accepted`: the media type of the operation's body, if it has one. */
export function readBody(exchange: Exchange, accepted: string | undefined): unknown {
  const { raw, unreadable } = exchange;
  // Only now, so that a missing token is reported before a broken body.
  if (unreadable !== undefined) throw unreadable;
  // An operation without a body ignores what was sent.
  if (accepted === undefined || !raw || raw.length === 0) return undefined;
  const sent = header(exchange, "content-type") ?? "none";
  // Most programs send no more than the type.
  if (sent !== accepted && mediaTypeOf(sent) !== accepted) {
    throw new HttpError(
      415,
      `The body must be ${accepted}; the content-type of the request is ${sent.slice(0, 100)}. Set the header content-type: ${accepted}.`,
      { rule: "media-type", values: { accepted, sent: sent.slice(0, 100) } },
    );
  }
  const text = decode(raw);
  return accepted === JSON_TYPE ? parse(text) : text;
}

/** The type without its parameters; undefined when it is malformed or names an encoding other than UTF-8. */
function mediaTypeOf(value: string): string | undefined {
  const [, type, parameters = ""] = /^\s*([\w.+-]+\/[\w.+-]+)\s*((?:;[^;]*)*)$/.exec(value) ?? [];
  // RFC 8259 knows UTF-8 only; US-ASCII is part of it.
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(parameters)?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset) ? type?.toLowerCase() : undefined;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(raw: Buffer): string {
  try {
    return decoder.decode(raw);
  } catch {
    throw notText();
  }
}

const notText = () => broken("encoding", "The body is not valid UTF-8. Send it encoded as UTF-8.");

function parse(text: string): unknown {
  mustBeShallow(text);
  try {
    // A reviver takes several times as long, so it is used only where it may be needed.
    return MAYBE_PROTO.test(text) ? JSON.parse(text, rejectProto) : JSON.parse(text);
  } catch (reason) {
    if (reason instanceof HttpError) throw reason;
    throw notJson((reason as Error).message.slice(0, 200));
  }
}

const notJson = (why: string) =>
  broken("syntax", `The body is not valid JSON: ${why}. Check it with a JSON validator.`);

/** The key as it is written, or with an escape in it. */
const MAYBE_PROTO = /__proto__|\\u00/;

function broken(code: string, message: string): ContractError {
  return new ContractError([{ location: ["body"], code, message, severity: "Error" }]);
}

/** A text can't become a prototype, so metadata may have the key. */
function rejectProto(key: string, value: unknown): unknown {
  if (key !== "__proto__" || typeof value === "string") return value;
  throw broken("propertyNames", "body: the key __proto__ is not accepted. Leave it out.");
}

/** Counts brackets outside strings, so that a deep body costs no recursion anywhere. */
function mustBeShallow(text: string): void {
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
    if (depth > DEEPEST) rejectDeep();
  }
}

function rejectDeep(): never {
  throw broken("depth", `The body is nested deeper than ${DEEPEST} levels. Flatten it.`);
}
