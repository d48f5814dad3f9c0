// Posts one delivery over HTTP. Rules: a request ends exactly once and within one timeout, connections are kept alive, redirects are
// not followed, and a response is read up to 64 KiB and stored up to 4 KiB. Heading "Delivery headers"; assumptions:
// delivery-success, delivery-targets, delivery-order, message-retention.
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIP, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { createClientRequest } from "../../platform/send-request.ts";
import { unwrapHost } from "../../platform/unbracketed.ts";
import { isLinkLocalOrMetadata } from "../domain/company/subscription.ts";
import { parseDuration } from "../domain/kernel/instant.ts";
import type { Attempt, Delivery, Message } from "../domain/kernel/records.ts";
import type { InjectedFault } from "./delivery-faults.ts";
import { explainFailure } from "./explain-failure.ts";
import { Blocked, CONTROL_API_BLOCKED, isControlApi, makeLookup, type Reach } from "./targets.ts";

export interface DeliveryRequest {
  delivery: Delivery;
  message: Message;
  url: string;
  headers: Record<string, string>;
  body: string;
  injected?: InjectedFault;
}

type SentRequest = Pick<DeliveryRequest, "url" | "headers" | "body">;

export interface DeliveryResult {
  /** An ABORTED request is not recorded. */
  outcome: "ANSWERED" | "TIMED_OUT" | "UNREACHABLE" | "BLOCKED" | "ABORTED";
  answer: Attempt["answer"];
  error?: string;
  /** The duration that a relay measured. */
  duration_ms?: number;
  relayed?: true;
}

export interface InFlight {
  /** The promise never rejects, because an error is an outcome. */
  result: Promise<DeliveryResult>;
  /** Resolves when the next request can't overtake this one, or after a second. */
  sent: Promise<void>;
  abort(): void;
}

/** Node runs a timer of more than 2^31 - 1 ms immediately. A relay needs 15 s more than the receiver. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1 - 15_000;

/** Parses the setting `receiverTimeout` into milliseconds; `none` becomes 24 days. */
export const parseReceiverTimeout = (text: string): number =>
  text === "none" ? MAX_TIMEOUT_MS : Math.min(parseDuration(text), MAX_TIMEOUT_MS);

/** A receiver that accepts no bytes delays the next message at most this long. */
const MAX_SENDING_MS = 1000;
/** The connection is closed after this many bytes of a response. */
const MAX_READ_BYTES = 64 * 1024;
/** The attempt stores this many bytes of a response's body, and as many of its headers. */
const MAX_STORED_BYTES = 4 * 1024;

export type HttpClient = ReturnType<typeof makeClient>;

/** `trust` adds certificates of receivers to those that the system trusts. */
export function makeClient(timeoutMs: number, trust?: SecureContext) {
  /** Connections are not shared between accounts with different limits, because a kept connection bypasses the check. */
  const agentsByReach = new Map<string, Agents>();
  const selectAgents = (reach?: Reach): Agents => {
    const key = reach?.key ?? "";
    const created = agentsByReach.get(key) ?? createAgents(reach, trust);
    agentsByReach.set(key, created);
    return created;
  };

  function send({ url: target, headers, body }: SentRequest, reach?: Reach): InFlight {
    const url = new URL(target);
    const { agents, lookup } = selectAgents(reach);
    const error = isControlApi(target) ? CONTROL_API_BLOCKED : findImmediateBlock(url.hostname, reach)?.message;
    if (error !== undefined) {
      const result = Promise.resolve<DeliveryResult>({ outcome: "BLOCKED", answer: null, error });
      return { result, sent: Promise.resolve(), abort() {} };
    }
    const options = {
      method: "POST",
      // Node processes a list of headers faster than an object.
      headers: ["host", url.host, ...Object.entries(headers).flat()],
      agent: agents[url.protocol === "https:" ? "https:" : "http:"],
      lookup,
    };
    return trackRequest(() => createClientRequest(url, options).end(body), url, timeoutMs);
  }

  return {
    send,
    close(): void {
      for (const { agents } of agentsByReach.values()) for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const createAgents = (reach?: Reach, secureContext?: SecureContext) => ({
  agents: {
    "http:": new HttpAgent({ keepAlive: true }),
    "https:": new HttpsAgent({ keepAlive: true, secureContext }),
  },
  lookup: makeLookup(undefined, reach),
});
type Agents = ReturnType<typeof createAgents>;

/** Checks a literal IP address, for which no lookup takes place. */
function findImmediateBlock(hostname: string, reach?: Reach): Blocked | undefined {
  if (isLinkLocalOrMetadata(hostname)) return new Blocked(hostname);
  const address = unwrapHost(hostname);
  const why = isIP(address) ? reach?.why(address, address) : undefined;
  return why === undefined ? undefined : new Blocked(address, why);
}

type Failure = Exclude<DeliveryResult["outcome"], "ANSWERED">;

/** Calls `start` again if the receiver had already closed a kept connection. */
function trackRequest(start: () => ClientRequest, url: URL, timeoutMs: number): InFlight {
  const { host } = url;
  let request: ClientRequest | undefined;
  let isFinished = false;
  let getResponse = (): Attempt["answer"] => null;
  const [result, resolveResult] = createDeferred<DeliveryResult>();
  const [sent, resolveSent] = createDeferred<void>();
  const failOnTimeout = () => fail("TIMED_OUT", `${host} did not respond within ${timeoutMs / 1000} s.`);
  // A test process ends without waiting for a receiver. Code that awaits the result keeps the process alive.
  const sendTimer = setTimeout(resolveSent, MAX_SENDING_MS).unref();
  const timer = setTimeout(failOnTimeout, timeoutMs).unref();

  function finish(ended: DeliveryResult): void {
    isFinished = true;
    clearTimeout(timer);
    clearTimeout(sendTimer);
    // The result resolves first, so that it is recorded before the next request is sent.
    resolveResult(ended);
    resolveSent();
  }
  function fail(outcome: Failure, error: string): void {
    // A timeout and an error may both occur; only the first counts.
    if (!isFinished) finish({ outcome, answer: getResponse(), error });
    request?.destroy();
  }
  function attempt(): void {
    const current = start();
    let hasResponse = false;
    request = current;
    current.on("socket", unrefSocket);
    // A request on a new connection can be overtaken by a later one on a kept connection until the receiver responds.
    current.on("finish", () => current.reusedSocket && resolveSent());
    current.on("response", async (response) => {
      hasResponse = true;
      const reading = readResponse(response);
      getResponse = reading.getResponse;
      if (await reading.complete) finish({ outcome: "ANSWERED", answer: getResponse() });
      else fail("UNREACHABLE", `${host} closed the connection before its response was complete.`);
    });
    current.on("error", (error: NodeJS.ErrnoException) => {
      if (!isFinished && isClosedByPeer(current, error)) attempt();
      else if (error instanceof Blocked) fail("BLOCKED", error.message);
      else fail("UNREACHABLE", explainFailure(error, url));
    });
    // A receiver that switches protocols has not accepted the message.
    current.on("upgrade", (_, socket) => socket.destroy());
    current.on("close", () => {
      // A late `close` of the previous connection does not concern this request.
      if (current === request && !hasResponse) fail("UNREACHABLE", explainFailure({ code: "ECONNRESET" }, url));
    });
  }

  attempt();
  return { result, sent, abort: () => fail("ABORTED", "The sandbox was stopped.") };
}

function unrefSocket(socket: Socket): void {
  socket.unref();
  // Node may try several addresses, each with its own handle.
  if (socket.connecting) socket.once("connect", () => socket.unref());
}

/** Returns whether the receiver closed a kept connection. That is no failed attempt, so the request is sent again on another. */
function isClosedByPeer(request: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  // The same error on a new connection is a failure of the receiver.
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

interface ResponseReader {
  /** Returns the part of the response that was received so far. */
  getResponse(): NonNullable<Attempt["answer"]>;
  /** Resolves to whether the response is complete, or longer than the limit. */
  complete: Promise<boolean>;
}

function readResponse(response: IncomingMessage): ResponseReader {
  const stored: Buffer[] = [];
  let size = 0;
  const complete = new Promise<boolean>((resolve) => {
    response.on("data", (chunk: Buffer) => {
      // Bytes beyond the limit are counted but not stored.
      if (size < MAX_STORED_BYTES) stored.push(chunk.subarray(0, MAX_STORED_BYTES - size));
      size += chunk.length;
      if (size <= MAX_READ_BYTES) return;
      resolve(true);
      response.destroy();
    });
    // Node also emits `end` for a truncated chunked response.
    response.on("end", () => resolve(response.complete));
    response.on("error", () => resolve(false));
    response.on("close", () => resolve(false));
  });
  const getResponse = () => ({
    status: response.statusCode ?? 0,
    headers: toStoredHeaders(response),
    body: Buffer.concat(stored).toString("utf8"),
  });
  return { getResponse, complete };
}

function toStoredHeaders({ headers }: IncomingMessage): Record<string, string> {
  const stored: Record<string, string> = {};
  let remaining = MAX_STORED_BYTES;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
    remaining -= name.length + text.length;
    if (remaining >= 0) stored[name] = text;
  }
  return stored;
}

export function createDeferred<T>(): [Promise<T>, (value: T) => void] {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return [promise, resolve];
}
