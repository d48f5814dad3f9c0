// Reads the form of a token request, and the client credentials in it or in HTTP Basic, and creates error responses.
// RFC 6749 §2.3.1, §3.2 and §5.2; assumptions: token-errors, token-client-auth.
import type { Values } from "../domain/kernel/domain-error.ts";
import { FORM_TYPE, readBody } from "./body.ts";
import { HttpError, type TransportRule, toFailure } from "./errors.ts";
import { type Answer, type Exchange, readHeader } from "./exchange.ts";

interface GrantDetails {
  values?: Values;
  /** Whether the client used HTTP Basic. */
  basic?: boolean;
}

/** An error of the token endpoint, in the terms of RFC 6749 §5.2. */
export class GrantError extends HttpError {
  readonly error: string;
  constructor(error: string, description: string, rule: TransportRule, { values = {}, basic }: GrantDetails = {}) {
    // The challenge is sent only to a client that used HTTP Basic: other clients show it instead of the description.
    const headers: Record<string, string> = basic ? { "www-authenticate": 'Basic realm="sandbox"' } : {};
    super(error === "invalid_client" ? 401 : 400, toPrintable(description), { rule, values, headers });
    this.error = error;
  }
}

/** `basic`: the credentials were sent as HTTP Basic. */
export interface Client {
  id: string;
  secret: string;
  basic: boolean;
}

type FormParameters = ReadonlyMap<string, string>;

/** Empty parameters count as missing, unknown ones are ignored, and repeated ones are an error. */
export function readForm(exchange: Exchange): FormParameters {
  const text = readBody(exchange, FORM_TYPE);
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(typeof text === "string" ? text : "")) {
    // A parameter that was sent twice is an error even if one is empty.
    const excerpt = name.slice(0, 100);
    const message = `${excerpt} was sent more than once. Send it once.`;
    if (form.has(name))
      throw new GrantError("invalid_request", message, "grant-repeated", { values: { name: excerpt } });
    form.set(name, value);
  }
  for (const [name, value] of form) if (value.trim() === "") form.delete(name);
  return form;
}

/** Throws invalid_client or invalid_request. Does not check the secret. */
export function readClient(exchange: Exchange, form: FormParameters): Client {
  const authorization = readHeader(exchange, "authorization")?.trim() ?? "";
  if (/^basic\b/i.test(authorization)) return readBasicClient(authorization, form);
  const [id, secret] = [form.get("client_id"), form.get("client_secret")];
  if (id && secret) return { id, secret, basic: false };
  const message = "client_id or client_secret is missing. Send both, in the form or as HTTP Basic.";
  throw new GrantError("invalid_client", message, "client-missing");
}

function readBasicClient(authorization: string, form: FormParameters): Client {
  // RFC 6749 section 2.3 allows one method in a request.
  if (form.has("client_secret")) {
    const message = "The credentials were sent both as HTTP Basic and in the form. Send them in one place.";
    throw new GrantError("invalid_request", message, "client-twice");
  }
  const coded = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1];
  const text = coded === undefined ? "" : Buffer.from(coded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) {
    const message = "The HTTP Basic credentials are malformed. Send the base64 form of id:secret.";
    throw new GrantError("invalid_client", message, "basic-malformed", { basic: true });
  }
  // RFC 6749 section 2.3.1: both are form-encoded before they are joined.
  const [id, secret] = [decodeFormText(text.slice(0, colon)), decodeFormText(text.slice(colon + 1))];
  if (form.has("client_id") && form.get("client_id") !== id) {
    throw new GrantError("invalid_request", "client_id differs from the one in HTTP Basic. Send one.", "client-twice");
  }
  return { id, secret, basic: true };
}

function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // Many clients send a plain percent sign.
    return text;
  }
}

/** Converts to ASCII without quotes and backslashes, as RFC 6749 requires for descriptions. */
function toPrintable(text: string, most = 600): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?").slice(0, most);
}

export function toTokenFailure(reason: unknown, requestId: string): Answer {
  const { status, headers = {}, body } = toFailure(reason, requestId);
  const otherError = status < 500 ? "invalid_request" : "server_error";
  const error = reason instanceof GrantError ? reason.error : otherError;
  const error_description = toPrintable((body as { message: string }).message);
  // RFC 6749 §5.2 has 400 for every malformed request, and no 415.
  return { status: status === 415 ? 400 : status, headers, body: { error, error_description } };
}
