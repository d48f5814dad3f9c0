// Who may use the control surface. On a loopback connection nobody needs a token, but a page in a browser must not reach it: the
// Host must be a loopback name, the Origin this sandbox. On any other connection the control token is wanted.
import type { Socket } from "node:net";
import type { Application } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { header } from "../exchange.ts";
import { isSameSecret } from "../same-secret.ts";

/** A number of an address goes to 255. */
const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const LOOPBACK_HOST = new RegExp(`^(localhost|127(?:\\.${BYTE}){3}|\\[::1\\])(?::\\d{1,5})?$`, "i");
const LOOPBACK_ADDRESS = /^(127\.|::1$|::ffff:127\.)/;

export function guard(exchange: Exchange, socket: Socket, application: Application): void {
  const host = header(exchange, "host") ?? "";
  const origin = header(exchange, "origin");
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new HttpError(
      403,
      `The control surface does not answer pages of ${origin.slice(0, 100)}. Ask it from the sandbox itself, or from a program.`,
    );
  }
  // A browser says so even where it sends no Origin, as with a GET of a page; `none` is an address that was typed.
  const site = header(exchange, "sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw new HttpError(
      403,
      `The control surface does not answer pages of other sites (Sec-Fetch-Site: ${site.slice(0, 40)}). Ask it from the sandbox itself, or from a program.`,
    );
  }
  if (LOOPBACK_ADDRESS.test(socket.localAddress ?? "")) {
    if (LOOPBACK_HOST.test(host)) return;
    throw new HttpError(
      403,
      `The Host ${host.slice(0, 100)} is not a loopback name. Use http://127.0.0.1 or http://localhost.`,
    );
  }
  const token = /^bearer +(\S+)$/i.exec(header(exchange, "authorization") ?? "")?.[1] ?? "";
  if (isSameSecret(token, application.controlToken)) return;
  throw new HttpError(
    401,
    "The control surface wants its token here: send `Authorization: Bearer <control token>`. Start prints it.",
    {
      headers: { "www-authenticate": 'Bearer realm="sandbox control"' },
    },
  );
}
