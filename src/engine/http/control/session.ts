// Signs browsers in: they send the control token and get a cookie, because their live stream can't send a token.

import type { RequestsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { isSameSecret } from "../same-secret.ts";
import { defineHandlers, ok } from "./handler.ts";
import { readCookie } from "./presented-credentials.ts";

export const SIGN_IN = "openSession";
/** RFC 9110 section 11.6.1 requires this header with a 401. */
export const CHALLENGE = { "www-authenticate": 'Bearer realm="sandbox control"' };

/** A browser sends the cookies of a host to all its ports, so each sandbox needs its own name. */
const nameCookie = ({ instance }: RequestsPort): string => `sandbox-session-${instance.slice(0, 8)}`;

/** Finds the session of the cookie. Returns undefined if this sandbox does not know it, or it has ended. */
export function findSession(exchange: Exchange, application: RequestsPort): string | undefined {
  const id = readCookie(exchange.headers, nameCookie(application));
  return id !== undefined && application.signIns.has(id) ? id : undefined;
}

export const createCookie = ({ mount }: Exchange, name: string, value: string, seconds: number) => ({
  // Scripts can't read the cookie, and pages of other sites can't send it.
  "set-cookie": `${name}=${value}; Path=${encodeURI(mount)}/_sandbox; Max-Age=${seconds}; HttpOnly; SameSite=Strict`,
});

/** Creates the response to a sign-in. */
export const createSignInResponse = (exchange: Exchange, name: string, id: string, seconds: number) => ({
  status: 204,
  headers: { ...createCookie(exchange, name, id, seconds), "cache-control": "no-store" },
});

export const session = defineHandlers<RequestsPort>()({
  openSession({ application, body, exchange }) {
    if (!isSameSecret(body.token, application.controlToken)) {
      const message =
        "This is not the control token of this sandbox. `sandbox start` prints it; with --control-token it is the one you chose.";
      throw new HttpError(401, message, { headers: CHALLENGE });
    }
    const { id, seconds } = application.signIns.open();
    return createSignInResponse(exchange, nameCookie(application), id, seconds);
  },
  closeSession({ application, exchange }) {
    const id = findSession(exchange, application);
    if (id !== undefined) application.signIns.close(id);
    // Removes the cookie even if the id is unknown.
    return { status: 204, headers: createCookie(exchange, nameCookie(application), "", 0) };
  },
  whoAmI() {
    const operator = { role: "operator", team: null, subject: "operator", token: "", expires_at: null };
    return ok({ ...operator, default_world: "default" });
  },
});
