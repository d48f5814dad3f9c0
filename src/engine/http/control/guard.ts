// Who may use the control API. A loopback connection needs no token, but a web page must not reach it: the Host must be a loopback
// name, the Origin this sandbox. Any other connection needs the control token, or the cookie of a browser that has shown it. Beside a
// database there are teams, and every connection needs a token: a proxy on this host would let anybody in.

import { isLoopback } from "../../../platform/loopback.ts";
import type { RequestsPort, TeamsPort, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { type Exchange, header, isRouted } from "../exchange.ts";
import { isSameSecret } from "../same-secret.ts";
import { admit } from "../teams/admission.ts";
import { presentedToken } from "./presented-credentials.ts";
import { PROOF } from "./proof.ts";
import { CHALLENGE, SIGN_IN, signedIn } from "./session.ts";

/** Throws 401 or 403; answers a promise only where the database has to be asked. */
export function guard(
  exchange: Exchange,
  application: WorldsPort & RequestsPort & TeamsPort,
): Promise<void> | undefined {
  // First of all, and on every connection: a page must not even learn whether a token is right.
  mustBeOfNoOtherPage(exchange, application);
  if (mayScrape(exchange, application)) return undefined;
  const isNear = isLoopback(exchange.localAddress?.replace(/^::ffff:/, ""));
  // Whoever asks has not sent a token yet. From afar nobody may guess at it.
  if (isNear && exchange.route?.id === PROOF) return mustNameLoopback(exchange);
  const { teams } = application;
  if (teams && isRouted(exchange) && exchange.route.id !== SIGN_IN) {
    // A browser sends a cookie by itself and a header never.
    const isProgram = header(exchange, "authorization") !== undefined;
    if (!isProgram && teams.sessionIn(exchange.headers) !== undefined) mustBeOfOwnPage(exchange);
    return admit(exchange, application, teams);
  }
  // Against DNS rebinding: the page's own name then stands in the Host.
  if (!teams && isNear) mustNameLoopback(exchange);
  else mustShowControlToken(exchange, application);
  return undefined;
}

/** The token for the metrics opens nothing else. */
function mayScrape(exchange: Exchange, { settings: { metricsToken } }: RequestsPort): boolean {
  if (metricsToken === undefined || exchange.route?.id !== "getMetrics") return false;
  return isSameSecret(presentedToken(exchange.headers) ?? "", metricsToken);
}

function mustBeOfNoOtherPage(exchange: Exchange, application: RequestsPort & TeamsPort): void {
  const host = header(exchange, "host") ?? "";
  const origin = header(exchange, "origin");
  // In front of a sandbox that many share there may be a proxy that speaks TLS; an app that mounts it may speak TLS itself.
  const mayBeTls = application.teams !== undefined || application.base().startsWith("https:");
  const isOwn = origin === `http://${host}` || (mayBeTls && origin === `https://${host}`);
  if (origin !== undefined && !isOwn) {
    throw new HttpError(
      403,
      `Requests from web pages of other origins (${origin.slice(0, 100)}) are not allowed on \`/_sandbox\`.`,
    );
  }
  // A browser sends this header even where it sends no Origin, as with a GET of a page; `none`: the user typed the address.
  const site = header(exchange, "sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw new HttpError(
      403,
      `Requests from web pages of other sites (Sec-Fetch-Site: ${site.slice(0, 40)}) are not allowed on \`/_sandbox\`.`,
    );
  }
}

function mustNameLoopback(exchange: Exchange): undefined {
  const host = header(exchange, "host") ?? "";
  // Without its port; an IPv6 address has colons of its own.
  if (isLoopback(host.replace(/(?<=[^:]):\d{1,5}$/, ""))) return undefined;
  throw new HttpError(
    403,
    `The Host ${host.slice(0, 100)} is not a loopback name. Use http://127.0.0.1 or http://localhost.`,
  );
}

function mustShowControlToken(exchange: Exchange, application: RequestsPort): void {
  if (isSameSecret(presentedToken(exchange.headers) ?? "", application.controlToken)) return;
  // It brings the token in its body.
  if (exchange.route?.id === SIGN_IN) return;
  if (signedIn(exchange, application) !== undefined) {
    mustBeOfOwnPage(exchange);
    return;
  }
  throw new HttpError(
    401,
    "The control API needs the control token on this connection: send `Authorization: Bearer <control token>`. `sandbox start` prints it.",
    {
      headers: CHALLENGE,
    },
  );
}

/** A page on another port of this host would send the cookie too; browsers send the Origin with all that changes something. */
function mustBeOfOwnPage(exchange: Exchange): void {
  const { method } = exchange;
  const origin = header(exchange, "origin");
  if (origin !== undefined || method === "GET" || method === "HEAD") return;
  throw new HttpError(
    403,
    "A request that changes something needs the header `Origin` of this sandbox beside the cookie. Programs send the control token instead: `Authorization: Bearer <control token>`.",
  );
}
