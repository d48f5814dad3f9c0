// The HTTP server: listening and stopping. The limits keep slow clients from holding a connection.

import { createServer as createHttpServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { unwrapHost } from "../../platform/unbracketed.ts";
import { toCode } from "../domain/kernel/error-codes.ts";
import { BODY_LIMIT } from "./body.ts";
import { PortError } from "./port-error.ts";
import { findBodyLimit } from "./receive-body.ts";

export interface Serving {
  url: string;
  /** Ends within two seconds: answers in flight are finished, idle connections closed. */
  close(): Promise<void>;
  /** Lets the process end while the server listens, and while clients keep idle connections. */
  unref(): void;
}

/** For answers in flight when the server closes. */
const GRACE_MS = 1500;
/** Bytes; Node's default is half of it, and tokens can be long. */
const HEADER_LIMIT = 32 * 1024;
/** A client that reads nothing of its answer for two such periods is disconnected: Node checks once whether anything was read. */
const UNREAD_MS = 4000;

const SERVER_OPTIONS = {
  headersTimeout: 5000,
  requestTimeout: 8000,
  connectionsCheckingInterval: 1000,
  // Longer than common balancers keep a connection, or they would send into a closing one.
  keepAliveTimeout: 65_000,
  maxHeaderSize: HEADER_LIMIT,
};

/** Key and certificate in PEM. */
export interface ServerCertificate {
  key: string;
  cert: string;
}

/** With the limits, and listening nowhere yet. `unreadMs`: shorter in a test; `tls`: for HTTPS. */
export function createServer(app: RequestListener, unreadMs = UNREAD_MS, tls?: ServerCertificate): Server {
  const listener: RequestListener = (request, response) => {
    request.url = toOriginForm(request.url ?? "/");
    if (findBodyLimit(request) > BODY_LIMIT) uploads.set(request.socket, response);
    response.on("timeout", dropUnread);
    app(request, response);
  };
  const server = tls
    ? createHttpsServer({ ...SERVER_OPTIONS, key: tls.key, cert: tls.cert }, listener)
    : createHttpServer(SERVER_OPTIONS, listener);
  server.setTimeout(unreadMs, dropSilent);
  server.on("clientError", rejectUnlessSteady);
  return server;
}

/** Rejects with PortError, in words. */
export function serve(app: RequestListener, port: number, host: string, unreadMs?: number): Promise<Serving> {
  return listen(createServer(app, unreadMs), port, host);
}

/** Rejects with PortError, in words. */
export function listen(server: Server, port: number, host: string): Promise<Serving> {
  const protocol = "setSecureContext" in server ? "https" : "http";
  return new Promise((resolve, reject) => {
    server.once("error", (reason: NodeJS.ErrnoException) =>
      reject(new PortError(explainListenError(reason, port, host))),
    );
    // Node takes an IPv6 address without the brackets that it has in a URL.
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

/**
 * Before anything is made for it: where the port is taken, the start must leave a data file as it was. Rejects with PortError, in words.
 */
export async function assertFreePort({ data, port, host }: { data?: string | undefined; port: number; host: string }) {
  if (data === undefined || port === 0) return;
  const { close: end } = await serve(() => undefined, port, host);
  await end();
}

/** Those of which an answer in flight has heard that they are idle. */
const answering = new WeakSet<Socket>();

/** The connection was idle: either the answer is not ready yet, or the client does not read it. */
function dropUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
  else answering.add(socket);
}

/** No request is answered there. What a client has sent while this process was held up is read first. */
function dropSilent(socket: Socket): void {
  if (!answering.delete(socket)) dropUnlessRead(socket, socket.bytesRead, TURNS);
}

/** A client in this process was held up too: it sends in one turn, and is read in a later one. */
const TURNS = 4;

function dropUnlessRead(socket: Socket, read: number, turns: number): void {
  if (socket.bytesRead !== read) return;
  if (turns === 0) socket.destroy();
  else setImmediate(dropUnlessRead, socket, read, turns - 1);
}

/** A client may send the whole address, as to a proxy (RFC 9112 §3.2.2). A target has no fragment, so # is a letter as any other. */
function toOriginForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "").replaceAll("#", "%23");
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** The latest on each connection: a state takes longer to arrive than any other body may. */
const uploads = new WeakMap<Duplex, ServerResponse>();

/** Bytes that have to arrive in each second of what is over time. */
const STEADY = 64 * 1024;

/** Node says once of each request that it is over time. An upload goes on as long as it is steady. */
function rejectUnlessSteady(reason: NodeJS.ErrnoException, socket: Duplex): void {
  const upload = reason.code === "ERR_HTTP_REQUEST_TIMEOUT" ? uploads.get(socket) : undefined;
  if (upload && !upload.req.complete) endUnlessSteady(upload, () => rejectSocket(reason, socket));
  else rejectSocket(reason, socket);
}

function endUnlessSteady(upload: ServerResponse, end: () => void): void {
  const { socket } = upload.req;
  const before = socket.bytesRead;
  const look = () => {
    if (upload.req.complete || socket.destroyed) return;
    // What is answered already was refused.
    if (upload.writableEnded || socket.bytesRead - before < STEADY) end();
    else endUnlessSteady(upload, end);
  };
  // What had arrived when this process was held up is read first.
  setTimeout(setImmediate, 1000, look).unref();
}

/** A malformed request is answered in the same shape as every other failure. */
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
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large", "The chunk extensions are too long. Leave them out."],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    "Request Timeout",
    "The request did not arrive completely in time. Send it again, faster.",
  ],
};

/** An address that a client on this machine can use. */
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
    // Those in use close with their answer.
    server.closeIdleConnections();
  });
}
