// The sandbox as a handler in somebody else's server: Express mounts it, also under a path, and node:http and supertest call it. The
// addresses in its answers are those that the request was sent to.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { codeOf } from "../domain/kernel/error-codes.ts";
import type { Arriving } from "./read-bytes.ts";
import { isHost } from "./served.ts";

/** What Express adds to a request. */
interface Mounted {
  protocol?: string;
  baseUrl?: string;
}

const CLOSED = {
  code: codeOf(503),
  message: "This sandbox is closed. Start another, and mount its handler, or close the server with it.",
};

interface Inside {
  app(request: Arriving, response: ServerResponse): void;
  /** Hears the address of every request, so that documents and webhooks name one that works. */
  reachedAt(url: string): void;
}

export function handlerOf({ app, reachedAt }: Inside, isClosed: () => boolean) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    // No port stops answering at the end, as that of a server does.
    if (isClosed()) {
      const head = { "content-type": "application/json; charset=utf-8", connection: "close" };
      return void response.writeHead(503, head).end(JSON.stringify(CLOSED));
    }
    const { host = "" } = request.headers;
    const { protocol = (request.socket as TLSSocket).encrypted ? "https" : "http", baseUrl = "" } = request as Mounted;
    // A made-up Host must not get into documents.
    if (isHost(host)) reachedAt(`${protocol}://${host}${baseUrl}`);
    const arriving = request as Arriving;
    // A parser may set a body without having read it.
    if (arriving.body !== undefined && request.readableEnded) arriving.body = bytesOf(arriving);
    app(arriving, response);
  };
}

/** The body again, where a parser of the app that mounts it has read it before. */
function bytesOf({ body, headers }: Arriving): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  if (typeof body === "string") return Buffer.from(body);
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) return undefined;
  const isForm = headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  return Buffer.from(isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body));
}
