// Forwards a request to the node that has its world, and streams the response back. A disconnect on either side ends both.
import { Agent, request as ask, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { BODY_LIMIT, BREAK, HOP } from "../../engine/http/extension/index.ts";
import { unwrapHost } from "../../platform/unbracketed.ts";

export interface Hop {
  request: IncomingMessage;
  response: ServerResponse;
  /** The address of the node that has the world. */
  url: string;
  /** The body, if it has been read; otherwise it is piped. `plain`: its encoding is undone. */
  body: Buffer | undefined;
  plain: boolean;
  /** The trace context of the span around the request, if requests are traced. */
  traceparent: string | undefined;
  /** The header that names this node. */
  from: string;
  /** Is called while no response arrives: whether the world is still there. */
  isThere(): Promise<boolean>;
}

/** `unsent`: no node has received the request. `broken`: it may have been carried out. */
export type ForwardOutcome = "answered" | "misplaced" | "unsent" | "broken";

/** RFC 9110 section 15.5.20: the other node does not have the world any more. */
const MISDIRECTED = 421;
/**
 * RFC 9110 section 15.5.9: the other node did not receive the complete request, such as after a pause. It was not
 * carried out.
 */
const REQUEST_TIMEOUT = 408;
/** A node that accepts no connection in this time counts as gone. Nothing was sent, so the request may be repeated. */
const CONNECT_MS = 2000;
/** The interval of `isThere`. */
const CHECK_INTERVAL_MS = 3000;

const CONNECTION_HEADERS = ["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"];
const PROXY_HEADERS = ["proxy-connection", "proxy-authenticate", "proxy-authorization"];
/** The headers of RFC 9110 section 7.6.1, and those that each node sets itself. */
const OF_ONE_HOP = new Set([...CONNECTION_HEADERS, ...PROXY_HEADERS, HOP]);

/** Connections between nodes are reused: a handshake for each forwarded request would cost more than the request. */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });

/** The outcome says whether the caller may send the request again. */
export function forward(hop: Hop): Promise<ForwardOutcome> {
  const { request, response, body } = hop;
  return new Promise((resolve) => {
    const { hostname, port } = new URL(hop.url);
    const { method, url: path } = request;
    const sent = ask({ agent, hostname: unwrapHost(hostname), port, method, path, headers: createHeaders(hop) });
    const watch = watchRequest(sent, hop);
    const end = (outcome: ForwardOutcome) => {
      watch.end();
      response.off("close", abort);
      resolve(outcome);
    };
    // The other node must not work for a client that has disconnected.
    const abort = () => void sent.destroy();
    response.on("close", abort);
    sent.on("error", () => {
      // The client has to see that a partial response was cut.
      if (response.headersSent) response.destroy();
      end(response.headersSent || response.destroyed ? "answered" : watch.isConnected() ? "broken" : "unsent");
    });
    sent.on("response", (answer) => {
      if (answer.statusCode === MISDIRECTED) {
        answer.resume();
        return end("misplaced");
      }
      // A 408 with an id is an armed fault. A body that was piped can't be sent again.
      if (answer.statusCode === REQUEST_TIMEOUT && body !== undefined && !("sandbox-request-id" in answer.headers)) {
        answer.resume();
        return end("unsent");
      }
      // An armed fault cuts the connection of the client, which the other node can only ask for.
      const broken = answer.headers[BREAK];
      if (broken !== undefined) {
        answer.resume();
        response.socket?.[broken === "reset" ? "resetAndDestroy" : "destroy"]();
        return end("answered");
      }
      pipeResponse(answer, response);
      response.once("close", () => end("answered"));
    });
    // Piped, so that a long upload is never in memory.
    if (body !== undefined) sent.end(body);
    else request.pipe(sent);
  });
}

/** Creates the headers for the other node. Names keep their spelling and order. */
function createHeaders({ request, body, plain, traceparent, from }: Hop): string[] {
  // A decoded body has another length, and a span of this node replaces that of the client.
  const replaced = new Set([
    ...(traceparent === undefined ? [] : ["traceparent"]),
    ...(body === undefined ? [] : ["content-length"]),
    ...(plain ? ["content-encoding"] : []),
  ]);
  const length = body === undefined || body.length === 0 ? [] : ["content-length", String(body.length)];
  const trace = traceparent === undefined ? [] : ["traceparent", traceparent];
  return [...listHeaders(request, replaced), ...length, ...trace, HOP, from];
}

/** Streams the response. A failure closes the client's connection, so that a cut response does not look complete. */
function pipeResponse(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, listHeaders(answer));
  // A stream may be silent for long, and its reader slow.
  if (/^text\/event-stream/.test(answer.headers["content-type"] ?? "")) {
    response.flushHeaders();
    response.socket?.setTimeout(0);
  }
  answer.on("error", () => response.destroy());
  answer.on("aborted", () => response.destroy());
  answer.pipe(response);
}

/** Lists names and values as they were sent, without hop-by-hop headers, those that Connection names, and `others`. */
function listHeaders({ rawHeaders, headers }: IncomingMessage, others: ReadonlySet<string> = new Set()): string[] {
  const named = new Set((headers.connection ?? "").toLowerCase().split(/[, ]+/));
  const isPassed = (name = "") => ![OF_ONE_HOP, named, others].some((each) => each.has(name.toLowerCase()));
  // A name is followed by its value.
  return rawHeaders.filter((_, at) => isPassed(rawHeaders[at - (at % 2)]));
}

/** Ends a request to a node that can't be reached, or that has lost the world during a pause. */
function watchRequest(sent: ClientRequest, { isThere }: Hop) {
  let connected = false;
  const dial = setTimeout(() => sent.destroy(new Error("not connected")), CONNECT_MS);
  const onConnect = () => {
    connected = true;
    clearTimeout(dial);
  };
  // A reused socket is connected already, and emits no second "connect".
  sent.on("socket", (socket) => (socket.connecting ? socket.once("connect", onConnect) : onConnect()));
  const look = setInterval(() => {
    void isThere().then(
      (is) => is || sent.destroy(new Error("the world has moved")),
      // The request continues while the database does not respond.
      () => undefined,
    );
  }, CHECK_INTERVAL_MS);
  return {
    isConnected: () => connected,
    end() {
      clearTimeout(dial);
      clearInterval(look);
    },
  };
}

/** Reads a body that is short enough to be sent twice. A longer one is piped. */
export async function readShortBody(request: IncomingMessage): Promise<Buffer | "passed on"> {
  const length = Number(request.headers["content-length"] ?? 0);
  if (request.headers["transfer-encoding"] !== undefined || !(length <= BODY_LIMIT)) return "passed on";
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
