// The client of a token request: its form, and the credentials in it or in HTTP Basic. RFC 6749 §2.3.1 and §3.2;
// assumptions: token-errors, token-client-auth.

import type { Values } from "../domain/kernel/domain-error.ts";
import { FORM_TYPE, readBody } from "./body.ts";
import type { TransportRule } from "./errors.ts";
import { type Exchange, header } from "./exchange.ts";

/** An error of the token endpoint, in the terms of RFC 6749 §5.2. */
export class GrantError extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Record<string, string>;
  /** For whoever asks why. */
  readonly rule: TransportRule;
  readonly values: Values;
  constructor(error: string, description: string, rule: TransportRule, details: TransportErrorDetails = {}) {
    super(printable(description));
    const { status = 400, headers = {}, values = {} } = details;
    this.error = error;
    this.status = status;
    this.headers = headers;
    this.rule = rule;
    this.values = values;
  }
}

interface TransportErrorDetails {
  status?: number;
  headers?: Record<string, string>;
  values?: Values;
}

/** `basic`: the credentials were sent as HTTP Basic. */
export interface Client {
  id: string;
  secret: string;
  basic: boolean;
}

type FormParameters = ReadonlyMap<string, string>;

/** Empty parameters count as absent, unknown ones are ignored, repeated ones are an error. */
export function readForm(exchange: Exchange): FormParameters {
  const text = readBody(exchange, FORM_TYPE);
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(typeof text === "string" ? text : "")) {
    // Before the empty ones are taken out: a parameter that is sent twice is wrong even when one is empty.
    if (form.has(name))
      throw new GrantError(
        "invalid_request",
        `${name.slice(0, 100)} was sent more than once. Send it once.`,
        "grant-repeated",
        {
          values: { name: name.slice(0, 100) },
        },
      );
    form.set(name, value);
  }
  for (const [name, value] of form) if (value.trim() === "") form.delete(name);
  return form;
}

/** Rejects with invalid_client or invalid_request. Whether the secret is right is not looked at here. */
export function clientOf(exchange: Exchange, form: FormParameters): Client {
  const authorization = header(exchange, "authorization")?.trim() ?? "";
  if (/^basic\b/i.test(authorization)) return basicClient(authorization, form);
  const [id, secret] = [form.get("client_id"), form.get("client_secret")];
  if (id && secret) return { id, secret, basic: false };
  throw invalidClient(
    "client_id or client_secret is missing. Send both, in the form or as HTTP Basic.",
    false,
    "client-missing",
  );
}

function basicClient(authorization: string, form: FormParameters): Client {
  // RFC 6749 section 2.3: not more than one method in a request.
  if (form.has("client_secret")) {
    throw new GrantError(
      "invalid_request",
      "The credentials were sent both as HTTP Basic and in the form. Send them in one place.",
      "client-twice",
    );
  }
  const coded = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1];
  const text = coded === undefined ? "" : Buffer.from(coded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0)
    throw invalidClient(
      "The HTTP Basic credentials are malformed. Send the base64 form of id:secret.",
      true,
      "basic-malformed",
    );
  // RFC 6749 section 2.3.1: both are form-encoded before they are joined.
  const [id, secret] = [formDecoded(text.slice(0, colon)), formDecoded(text.slice(colon + 1))];
  if (form.has("client_id") && form.get("client_id") !== id) {
    throw new GrantError("invalid_request", "client_id differs from the one in HTTP Basic. Send one.", "client-twice");
  }
  return { id, secret, basic: true };
}

/** The challenge is sent only to a client that used HTTP Basic: other clients show it instead of the description. */
export function invalidClient(
  description: string,
  basic: boolean,
  rule: TransportRule,
  values: Values = {},
): GrantError {
  const headers: Record<string, string> = basic ? { "www-authenticate": 'Basic realm="sandbox"' } : {};
  return new GrantError("invalid_client", description, rule, { status: 401, headers, values });
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // Many clients send a plain percent sign.
    return text;
  }
}

/** ASCII without quotes and backslashes, as RFC 6749 requires of descriptions. */
export function printable(text: string, most = 600): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?").slice(0, most);
}
