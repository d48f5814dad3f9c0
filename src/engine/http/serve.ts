// Creates, starts and stops the HTTP server. Its limits keep slow clients from occupying a connection.
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { unwrapHost } from "../../platform/unbracketed.ts";
import { toCode } from "../domain/kernel/error-codes.ts";
import { BODY_LIMIT, findBodyLimit } from "./body.ts";

export interface Serving {
  url: string;
  /** Ends within two seconds: finishes responses in flight and closes idle connections. */
  close(): Promise<void>;
  /** Allows the process to end while the server listens and clients keep idle connections. */
  unref(): void;
}

/** The time for responses in flight when the server closes. */
const GRACE_MS = 1500;
/** Bytes. The limit is twice Node's default, because tokens can be long. */
const HEADER_LIMIT = 32 * 1024;
/** A client that reads nothing of its response for two such periods is disconnected. Node checks once per period. */
const UNREAD_MS = 4000;
/** The time for a state of up to 64 MiB to arrive, after the timeout of other requests. */
const MORE_UPLOAD_MS = 52_000;

const SERVER_OPTIONS = {
  headersTimeout: 5000,
  requestTimeout: 8000,
  connectionsCheckingInterval: 1000,
  // The timeout is longer than that of common load balancers, which would otherwise use a closing connection.
  keepAliveTimeout: 65_000,
  maxHeaderSize: HEADER_LIMIT,
};

/** Key and certificate in PEM. */
export interface ServerCertificate {
  key: string;
  cert: string;
}

/** Creates a server that does not listen yet. `unreadMs`: shorter in tests; `tls`: for HTTPS. */
export function createServer(app: RequestListener, unreadMs = UNREAD_MS, tls?: ServerCertificate): Server {
  const handleRequest: RequestListener = (request, response) => {
    request.url = toOriginForm(request.url ?? "/");
    if (findBodyLimit(request) > BODY_LIMIT) uploads.set(request.socket, request);
    // A connection without a request has the timeouts for headers and between requests.
    response.setTimeout(unreadMs).on("timeout", dropUnlessRead);
    app(request, response);
  };
  const server = tls
    ? createHttpsServer({ ...SERVER_OPTIONS, key: tls.key, cert: tls.cert }, handleRequest)
    : createHttpServer(SERVER_OPTIONS, handleRequest);
  server.on("clientError", rejectUnlessUpload);
  return server;
}

/** Creates a server and listens. Rejects with PortError. */
export function serve(app: RequestListener, port: number, host: string, unreadMs?: number): Promise<Serving> {
  return listen(createServer(app, unreadMs), port, host);
}

/** Listens on a port. Rejects with PortError. */
export function listen(server: Server, port: number, host: string): Promise<Serving> {
  const protocol = "setSecureContext" in server ? "https" : "http";
  return new Promise((resolve, reject) => {
    server.once("error", (reason: NodeJS.ErrnoException) =>
      reject(new PortError(explainListenError(reason, port, host))),
    );
    // Node expects an IPv6 address without the brackets of a URL.
    server.listen(port, unwrapHost(host), () => {
      const { port: taken } = server.address() as AddressInfo;
      resolve({
        url: `${protocol}://${formatHost(host)}:${taken}`,
        close: () => close(server),
        unref() {
          server.unref();
          server.on("connection", (socket) => socket.unref());
        },
      });
    });
  });
}

/** Checks the port before the start changes a data file. Rejects with PortError if it is in use. */
export async function assertFreePort({ data, port, host }: { data?: string | undefined; port: number; host: string }) {
  if (data === undefined || port === 0) return;
  const serving = await serve(() => undefined, port, host);
  await serving.close();
}

/** Handles an idle connection with a response: drops it if the client does not read, but not if the response is late. */
function dropUnlessRead(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/**
 * Converts a complete address, as sent to a proxy (RFC 9112 §3.2.2), to a path. A target has no fragment, so # is an
 * ordinary character.
 */
function toOriginForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "").replaceAll("#", "%23");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** The latest upload on each connection. */
const uploads = new WeakMap<Duplex, IncomingMessage>();

/** Rejects a failed request. A late upload gets more time, by a timer, because Node reports it only once. */
function rejectUnlessUpload(reason: NodeJS.ErrnoException, socket: Duplex): void {
  const upload = reason.code === "ERR_HTTP_REQUEST_TIMEOUT" ? uploads.get(socket) : undefined;
  if (!upload || upload.complete) rejectSocket(reason, socket);
  else setTimeout(() => upload.complete || rejectSocket(reason, socket), MORE_UPLOAD_MS).unref();
}

/** Responds to a malformed request in the same format as to other failures. */
function rejectSocket(reason: NodeJS.ErrnoException, socket: Duplex): void {
  if (reason.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, words, message] = rejections[reason.code ?? ""] ?? UNREADABLE;
  const body = JSON.stringify({ code: toCode(status), message });
  const head = [`HTTP/1.1 ${status} ${words}`, "content-type: application/json; charset=utf-8", "connection: close"];
  socket.end([...head, `content-length: ${Buffer.byteLength(body)}`, "", body].join("\r\n"));
}

type ConnectionRejection = readonly [status: number, words: string, message: string];

const UNREADABLE: ConnectionRejection = [
  400,
  "Bad Request",
  "Malformed HTTP request (RFC 9112): check the path and headers for control characters.",
];
const rejections: Readonly<Record<string, ConnectionRejection>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request Header Fields Too Large",
    `The address and the headers are longer than ${HEADER_LIMIT} bytes. Send less.`,
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large", "The chunk extensions are too long. Omit them."],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout", "The request timed out before it was complete. Send it faster."],
};

/** Formats a host that a client on this machine can use. */
function formatHost(host: string): string {
  const name = unwrapHost(host);
  if (name === "0.0.0.0" || name === "::") return "127.0.0.1";
  return name.includes(":") ? `[${name}]` : name;
}

function explainListenError({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is in use by another process; choose another port, or port 0 for a free one.`;
  if (code === "EACCES") return `Port ${port} needs rights that this process does not have; choose a port above 1023.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is not an address of this machine; choose another host.`;
  return `Listening on ${host}:${port} failed: ${message}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    // Connections in use close after their response.
    server.closeIdleConnections();
  });
}

export class PortError extends Error {
  override name = "PortError";
  readonly code = "PORT_UNAVAILABLE";
}
