// Decides who may use the control API. A request needs the control token, or the cookie of a browser that has signed in
// with it. A sandbox without a configured token also serves loopback connections, unless a web page or a proxy sent the
// request. With accounts, every request needs a token, and `access` decides.
import { isLoopback } from "../../../platform/loopback.ts";
import { getProofKey, proveToken } from "../../../platform/token-proof.ts";
import type { RequestsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { type Access, type Exchange, type Routed, readHeader } from "../exchange.ts";
import { isSameSecret } from "../same-secret.ts";
import { defineHandlers, ok } from "./handler.ts";

/** Creates a step that throws 401 or 403. Only `access` is asynchronous. */
export const createGuard =
  (access: Pick<Access, "admit"> | undefined) =>
  (exchange: Routed, application: RequestsPort): Promise<void> | undefined => {
    // This check is first, so that a page can't find out whether a token is correct. A proxy with TLS may be in front
    // of a sandbox with accounts, and an app that mounts the sandbox may use TLS itself.
    const mayBeTls = access !== undefined || application.getBaseUrl().startsWith("https:");
    assertNoOtherPage(exchange, mayBeTls);
    if (canScrape(exchange, application)) return undefined;
    const isNear = isLoopback(exchange.localAddress?.replace(/^::ffff:/, ""));
    // The client sends its token only after the proof. Only clients on this machine may request it, because a proof
    // allows them to guess the token.
    if (isNear && exchange.route.id === PROOF) return assertDirectRequest(exchange);
    // The body of a sign-in has the token.
    if (access) return exchange.route.id === SIGN_IN ? undefined : access.admit(exchange);
    if (isSameSecret(readSentToken(exchange.headers) ?? "", application.controlToken)) return undefined;
    if (isNear && application.settings.controlToken === undefined) return assertDirectRequest(exchange);
    return assertSignedIn(exchange, application);
  };

/** Whether the request has the token for the metrics, which is valid for nothing else. */
function canScrape(exchange: Exchange, { settings: { metricsToken } }: RequestsPort): boolean {
  if (metricsToken === undefined || exchange.route?.id !== "getMetrics") return false;
  return isSameSecret(readSentToken(exchange.headers) ?? "", metricsToken);
}

function assertNoOtherPage(exchange: Exchange, mayBeTls: boolean): void {
  const host = readHeader(exchange, "host") ?? "";
  const origin = readHeader(exchange, "origin");
  const isOwn = origin === `http://${host}` || (mayBeTls && origin === `https://${host}`);
  if (origin !== undefined && !isOwn) throw createPageError(`origins (${origin.slice(0, 100)})`);
  // A browser sends this header even where it sends no Origin, as with a GET of a page; `none`: the user typed the address.
  const site = readHeader(exchange, "sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw createPageError(`sites (Sec-Fetch-Site: ${site.slice(0, 40)})`);
}

const createPageError = (others: string): HttpError =>
  new HttpError(403, `Requests from web pages of other ${others} are not allowed on \`/_sandbox\`.`);

/** Headers that proxies and tunnels add. A proxy that adds none can't be recognized. */
const PROXY_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|via|cf-.*)$/;

/** Rejects requests through a proxy on this machine, which connects over loopback for clients that may be anywhere. */
function assertDirectRequest(exchange: Exchange): undefined {
  const header = Object.keys(exchange.headers).find((name) => PROXY_HEADER.test(name));
  // nginx speaks HTTP/1.0 to the servers behind it and adds no header, unless it is configured otherwise.
  if (header === undefined && exchange.httpVersion !== "1.0") return assertLoopbackHost(exchange);
  const reason = header === undefined ? "it uses HTTP/1.0" : `it has the header ${header.slice(0, 60)}`;
  const message = `This request came through a proxy: ${reason}. Behind a proxy the control API needs a token: start the sandbox with \`--control-token <token>\`, and send \`Authorization: Bearer <token>\`.`;
  throw new HttpError(403, message);
}

/** Protects against DNS rebinding, where the Host is the name of the attacker's page. */
function assertLoopbackHost(exchange: Exchange): undefined {
  const host = readHeader(exchange, "host") ?? "";
  // The port is removed. An IPv6 address has colons too.
  if (isLoopback(host.replace(/(?<=[^:]):\d{1,5}$/, ""))) return undefined;
  const excerpt = host.slice(0, 100);
  throw new HttpError(403, `The Host ${excerpt} is not a loopback name. Use http://127.0.0.1 or http://localhost.`);
}

function assertSignedIn(exchange: Exchange, application: RequestsPort): undefined {
  // The body of a sign-in has the token.
  if (exchange.route?.id === SIGN_IN) return undefined;
  if (findSession(exchange, application) !== undefined) return assertOwnPage(exchange);
  const message =
    "The control API needs the control token as a bearer token. It is the value of the option `control-token` (SANDBOX_CONTROL_TOKEN) at the start; without one, `sandbox start` prints it.";
  throw new HttpError(401, message, { headers: CHALLENGE });
}

/**
 * Requires the Origin for changes, because a page on another port of this host would send the cookie too. Browsers send
 * the Origin with changes.
 */
export function assertOwnPage(exchange: Exchange): undefined {
  const { method } = exchange;
  const origin = readHeader(exchange, "origin");
  if (origin !== undefined || method === "GET" || method === "HEAD") return undefined;
  const message =
    "A request that changes something needs the header `Origin` of this sandbox beside the cookie. Programs send the control token instead: `Authorization: Bearer <control token>`.";
  throw new HttpError(403, message);
}

type Headers = Exchange["headers"];

export const readSentToken = (headers: Headers): string | undefined =>
  /^bearer +(\S+)$/i.exec(readHeader({ headers }, "authorization")?.trim() ?? "")?.[1];

export function readCookie(headers: Headers, name: string): string | undefined {
  const wanted = `${name}=`;
  const cookies = (readHeader({ headers }, "cookie") ?? "").split(/[;,] */);
  return cookies.find((each) => each.startsWith(wanted))?.slice(wanted.length);
}

const SIGN_IN = "openSession";
/** RFC 9110 section 11.6.1 requires this header with a 401. */
export const CHALLENGE = { "www-authenticate": 'Bearer realm="sandbox control"' };

/** A browser sends the cookies of a host to all its ports, so each sandbox needs its own name. */
const nameCookie = ({ instance }: RequestsPort): string => `sandbox-session-${instance.slice(0, 8)}`;

/** Finds the session of the cookie. Returns undefined if this sandbox does not know it, or it has ended. */
function findSession(exchange: Exchange, application: RequestsPort): string | undefined {
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

export const session = defineHandlers({
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
  async proveToken({ application, body }) {
    const { instance } = application;
    // The sandbox has the address on which it listens, and the one of its proxy.
    const own = [application.getListenUrl(), application.getBaseUrl()].map((address) => new URL(address).origin);
    if (own.includes(body.address))
      return ok({ instance, proof: proveToken(await findKey(application), body, instance) });
    const excerpt = body.address.slice(0, 100);
    throw new HttpError(403, `${excerpt} is not an address of this sandbox. Send the request to ${own[0]}.`);
  },
});

const PROOF = "proveToken";

/** The keys are computed with the first request. */
const keys = new WeakMap<RequestsPort, Promise<Buffer>>();

function findKey(application: RequestsPort): Promise<Buffer> {
  const key = keys.get(application) ?? getProofKey(application.controlToken, application.instance);
  keys.set(application, key);
  return key;
}
