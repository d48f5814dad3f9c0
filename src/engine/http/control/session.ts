// A browser signs in with the control token and has a cookie from then on: its live stream can't send a token.

import type { RequestsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { isSameSecret } from "../same-secret.ts";
import { handlersWith, ok } from "./handler.ts";
import { presentedCookie } from "./presented-credentials.ts";

export const SIGN_IN = "openSession";
/** RFC 9110 section 11.6.1 requires it with a 401. */
export const CHALLENGE = { "www-authenticate": 'Bearer realm="sandbox control"' };

/** Cookies of a host go to all its ports, so that two sandboxes need two names. */
const nameFor = ({ instance }: RequestsPort): string => `sandbox-session-${instance.slice(0, 8)}`;

/** The id in the cookie; undefined when it is none of this sandbox or no longer good. */
export function signedIn(exchange: Exchange, application: RequestsPort): string | undefined {
  const id = presentedCookie(exchange.headers, nameFor(application));
  return id !== undefined && application.signIns.has(id) ? id : undefined;
}

export const createCookie = ({ mount }: Exchange, name: string, value: string, seconds: number) => ({
  // No script reads it, and no other site's page sends it.
  "set-cookie": `${name}=${value}; Path=${encodeURI(mount)}/_sandbox; Max-Age=${seconds}; HttpOnly; SameSite=Strict`,
});

/** The response to a sign-in. */
export const respondSignedIn = (exchange: Exchange, name: string, id: string, seconds: number) => ({
  status: 204,
  headers: { ...createCookie(exchange, name, id, seconds), "cache-control": "no-store" },
});

export const session = handlersWith<RequestsPort>()({
  openSession({ application, body, exchange }) {
    if (!isSameSecret(body.token, application.controlToken)) {
      const message =
        "This is not the control token of this sandbox. `sandbox start` prints it; with --control-token it is the one you chose.";
      throw new HttpError(401, message, { headers: CHALLENGE });
    }
    const { id, seconds } = application.signIns.open();
    return respondSignedIn(exchange, nameFor(application), id, seconds);
  },
  closeSession({ application, exchange }) {
    const id = signedIn(exchange, application);
    // Signing out twice is no error.
    if (id !== undefined) application.signIns.close(id);
    // Taken from the browser too, whatever became of the id.
    return { status: 204, headers: createCookie(exchange, nameFor(application), "", 0) };
  },
  whoAmI() {
    const everybody = { role: "operator", team: null, subject: "operator", token: "", expires_at: null };
    return ok({ ...everybody, default_world: "default" });
  },
});
