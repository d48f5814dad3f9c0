// Sends a request on to the node where its world lives, unchanged, and its answer back, while it arrives: one hop, never two. Whoever goes
// away on either side ends it.
import { Agent, request as ask, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { BODY_LIMIT, BREAK, HOP } from "../../engine/http/extension/index.ts";
import { unbracketed } from "../../platform/unbracketed.ts";

export interface Hop {
  request: IncomingMessage;
  response: ServerResponse;
  /** Of the node where the world lives. */
  url: string;
  /** The body, where it has been read; otherwise it is sent on as it comes. `plain`: what it was encoded with is undone. */
  body: Buffer | undefined;
  plain: boolean;
  /** Of the span around it, where requests are traced. */
  traceparent: string | undefined;
  /** Says which node sends it on. */
  from: string;
  /** Asked now and then, while nothing comes back: whether what it is for is still there. */
  isThere(): Promise<boolean>;
}

/** `nobody`: no node has taken it. `broken`: it may have been carried out. */
export type ForwardOutcome = "answered" | "misplaced" | "nobody" | "broken";

/** RFC 9110 section 15.5.20: the other node says that the world does not live there any more. */
const MISDIRECTED = 421;
/**
 * RFC 9110 section 15.5.9: the other node gave up before the request was complete, as one does that was stopped for a
 * while. It was not carried out.
 */
const REQUEST_TIMEOUT = 408;
/** A node that does not accept a connection in this time counts as gone; nothing was sent, so trying again is safe. */
const CONNECT_MS = 2000;
/**
 * How often the database is asked, while an answer is awaited, whether the world is still where the request was sent.
 */
const LOOK_MS = 3000;

/** RFC 9110 section 7.6.1, and what a hop decides anew. */
const OF_ONE_HOP = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "expect", HOP],
]);

/** Connections between nodes are reused: a handshake for each forwarded request would cost more than the request. */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });

/** The outcome says whether the caller may send the request again. */
export function forward(hop: Hop): Promise<ForwardOutcome> {
  const { request, response, body } = hop;
  return new Promise((resolve) => {
    const { hostname, port } = new URL(hop.url);
    const sent = ask({
      agent,
      hostname: unbracketed(hostname),
      port,
      ...lineOf(request),
      headers: headersFor(hop),
    });
    const watch = watchOver(sent, hop);
    const end = (outcome: ForwardOutcome) => {
      watch.end();
      response.off("close", abort);
      resolve(outcome);
    };
    // A client that has gone away must not keep the other node at work on an answer that nobody reads.
    const abort = () => void sent.destroy();
    response.on("close", abort);
    sent.on("error", () => {
      // Half of an answer can't be taken back: the client has to see that it was cut.
      if (response.headersSent) response.destroy();
      end(response.headersSent || response.destroyed ? "answered" : watch.isConnected() ? "broken" : "nobody");
    });
    sent.on("response", (answer) => {
      if (answer.statusCode === MISDIRECTED) {
        answer.resume();
        return end("misplaced");
      }
      // Without an id it is no fault of the world. A body that was piped can't be sent again.
      if (answer.statusCode === REQUEST_TIMEOUT && body !== undefined && !("sandbox-request-id" in answer.headers)) {
        answer.resume();
        return end("nobody");
      }
      // An armed fault cuts the connection of the client. The other node can only ask for it: its connection is this
      // one.
      const broken = answer.headers[BREAK];
      if (broken !== undefined) {
        answer.resume();
        response.socket?.[broken === "reset" ? "resetAndDestroy" : "destroy"]();
        return end("answered");
      }
      giveBack(answer, response);
      response.once("close", () => end("answered"));
    });
    // A body that was not read is piped, so that a long upload is never held in memory.
    if (body !== undefined) sent.end(body);
    else request.pipe(sent);
  });
}

const lineOf = ({ method, url }: IncomingMessage) => ({ method, path: url });

/** The headers of the next hop. Names keep their spelling and order. */
function headersFor({ request, body, plain, traceparent, from }: Hop): string[] {
  const headers = withoutHop(request);
  // The length of a body that was decoded here is another one, and a span of this node replaces that of the client.
  const passed = pairs(headers).filter(
    ([name]) =>
      !(name === "traceparent" && traceparent !== undefined) &&
      (body === undefined || (name !== "content-length" && !(plain && name === "content-encoding"))),
  );
  const length = body === undefined || body.length === 0 ? [] : ["content-length", String(body.length)];
  const trace = traceparent === undefined ? [] : ["traceparent", traceparent];
  return [...passed.flatMap(([, key, value]) => [key, value]), ...length, ...trace, HOP, from];
}

/** Streams the answer. A failure on the way closes the client's connection, so that a cut answer never looks whole. */
function giveBack(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, withoutHop(answer));
  // A stream may have nothing to say for long, and a reader that reads nothing for a while is slow, and not gone.
  if (/^text\/event-stream/.test(answer.headers["content-type"] ?? "")) {
    response.flushHeaders();
    response.socket?.setTimeout(0);
  }
  answer.on("error", () => response.destroy());
  answer.on("aborted", () => response.destroy());
  answer.pipe(response);
}

/** As they were sent, without those that are for one hop, and those that Connection names. */
function withoutHop({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = new Set((headers.connection ?? "").toLowerCase().split(/[, ]+/));
  return pairs(rawHeaders)
    .filter(([name]) => !OF_ONE_HOP.has(name) && !named.has(name))
    .flatMap(([, key, value]) => [key, value]);
}

/**
 * Node's rawHeaders is a flat list of names and values; the lower-case name is for comparing, the key is as it was
 * sent.
 */
function pairs(raw: readonly string[]): [name: string, key: string, value: string][] {
  const found: [string, string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2)
    found.push([(raw[at] ?? "").toLowerCase(), raw[at] ?? "", raw[at + 1] ?? ""]);
  return found;
}

/** A node that can't be reached, or that is paused and has lost the world meanwhile, is not waited for. */
function watchOver(sent: ClientRequest, { isThere }: Hop) {
  let connected = false;
  const dial = setTimeout(() => sent.destroy(new Error("not connected")), CONNECT_MS);
  const met = () => {
    connected = true;
    clearTimeout(dial);
  };
  // A socket that was kept alive is connected already, and emits no second "connect".
  sent.on("socket", (socket) => (socket.connecting ? socket.once("connect", met) : met()));
  const look = setInterval(() => {
    void isThere().then(
      (is) => is || sent.destroy(new Error("the world has moved")),
      // Where the database does not answer, the request goes on: only a sure "no" ends it.
      () => undefined,
    );
  }, LOOK_MS);
  return {
    isConnected: () => connected,
    end() {
      clearTimeout(dial);
      clearInterval(look);
    },
  };
}

/** A body that is short enough to be sent twice is read first; a longer one is sent on as it comes. */
export async function shortBody(request: IncomingMessage): Promise<Buffer | "passed on"> {
  const length = Number(request.headers["content-length"] ?? 0);
  if (request.headers["transfer-encoding"] !== undefined || !(length <= BODY_LIMIT)) return "passed on";
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
