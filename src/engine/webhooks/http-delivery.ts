// The only outgoing HTTP: posts one delivery. Rules: a request ends exactly once and within one time-out, connections are kept alive,
// no redirect is followed, a response is read up to 64 KiB and stored up to 4 KiB. Heading "Delivery headers"; assumptions:
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
import type { Injected } from "./delivery-faults.ts";
import { explainFailure } from "./explain-failure.ts";
import { Blocked, CONTROL_API_BLOCKED, isControlApi, makeLookup, type Reach } from "./targets.ts";

export interface DeliveryRequest {
  delivery: Delivery;
  message: Message;
  url: string;
  headers: Record<string, string>;
  body: string;
  /** What it does on purpose. */
  injected?: Injected;
}

export interface DeliveryResult {
  /** An ABORTED request is not recorded. */
  outcome: "ANSWERED" | "TIMED_OUT" | "UNREACHABLE" | "BLOCKED" | "ABORTED";
  answer: Attempt["answer"];
  error?: string;
  /** As a relay has measured it. */
  duration_ms?: number;
  relayed?: true;
}

export interface InFlight {
  /** Never rejects: an error is an outcome. */
  result: Promise<DeliveryResult>;
  /** Resolves when the next request can't overtake this one, or when this one takes too long for others to wait. */
  sent: Promise<void>;
  abort(): void;
}

export interface HttpClient {
  send(request: Pick<DeliveryRequest, "url" | "headers" | "body">, reach?: Reach): InFlight;
  close(): void;
}

/** Node fires a timer at once that is longer than 2^31 - 1 ms; a relay needs 15 s more than the receiver. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1 - 15_000;

/** Milliseconds of the setting `receiverTimeout`; `none` is 24 days. */
export const readReceiverTimeout = (text: string): number =>
  text === "none" ? MAX_TIMEOUT_MS : Math.min(parseDuration(text), MAX_TIMEOUT_MS);

/** A receiver that takes no bytes keeps the others waiting no longer. */
const MAX_SENDING_MS = 1000;
/** Bytes that are read of an answer; the connection is cut after them. */
const MAX_READ_BYTES = 64 * 1024;
/** Bytes of an answer's body, and of its headers, that the attempt keeps. */
const MAX_STORED_BYTES = 4 * 1024;

/** `trust`: the context with the certificates of receivers, where they have their own. */
export function makeClient(timeoutMs: number, trust?: SecureContext): HttpClient {
  /** By what may be reached: a kept connection must not serve an account that may not reach it. */
  const doors = new Map<string, Agents>();
  const selectAgents = (reach?: Reach): Agents => {
    const key = reach?.key ?? "";
    const door = doors.get(key) ?? openDoor(reach, trust);
    doors.set(key, door);
    return door;
  };

  function send({ url: target, headers, body }: Parameters<HttpClient["send"]>[0], reach?: Reach): InFlight {
    const url = new URL(target);
    const { agents, lookup } = selectAgents(reach);
    const error = isControlApi(target) ? CONTROL_API_BLOCKED : findImmediateBlock(url.hostname, reach)?.message;
    // No connection is made.
    if (error !== undefined) {
      const result = Promise.resolve<DeliveryResult>({ outcome: "BLOCKED", answer: null, error });
      return { result, sent: Promise.resolve(), abort() {} };
    }
    const options = {
      method: "POST",
      // As a list Node checks and writes them without a map of its own.
      headers: ["host", url.host, ...Object.entries(headers).flat()],
      agent: agents[url.protocol === "https:" ? "https:" : "http:"],
      lookup,
    };
    return track(() => createClientRequest(url, options).end(body), url, timeoutMs);
  }

  return {
    send,
    close() {
      for (const { agents } of doors.values()) for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Its connections and look-ups are for those who may reach the same. */
const openDoor = (reach?: Reach, secureContext?: SecureContext) => ({
  agents: {
    "http:": new HttpAgent({ keepAlive: true }),
    "https:": new HttpsAgent({ keepAlive: true, secureContext }),
  },
  lookup: makeLookup(undefined, reach),
});
type Agents = ReturnType<typeof openDoor>;

/** An address that is written out is not looked up. */
function findImmediateBlock(hostname: string, reach?: Reach): Blocked | undefined {
  if (isLinkLocalOrMetadata(hostname)) return new Blocked(hostname);
  const address = unwrapHost(hostname);
  const why = isIP(address) ? reach?.why(address, address) : undefined;
  return why === undefined ? undefined : new Blocked(address, why);
}

type Failure = Exclude<DeliveryResult["outcome"], "ANSWERED">;

/** `start` is called again where a connection that was kept alive turns out to be closed. */
function track(start: () => ClientRequest, url: URL, timeoutMs: number): InFlight {
  const { host } = url;
  let request: ClientRequest | undefined;
  let over = false;
  let readAnswer = (): Attempt["answer"] => null;
  const [result, resolveResult] = createDeferred<DeliveryResult>();
  const [sent, resolveSent] = createDeferred<void>();
  const failOnTimeout = () => fail("TIMED_OUT", `${host} did not answer within ${timeoutMs / 1000} s.`);
  // A test process ends without waiting for a receiver. Code that awaits the result keeps the process alive.
  const sendTimer = setTimeout(resolveSent, MAX_SENDING_MS).unref();
  const timer = setTimeout(failOnTimeout, timeoutMs).unref();

  function finish(ended: DeliveryResult): void {
    over = true;
    clearTimeout(timer);
    clearTimeout(sendTimer);
    // In this order: the result is recorded before the next request leaves.
    resolveResult(ended);
    resolveSent();
  }
  function fail(outcome: Failure, error: string): void {
    // Once only: a time-out and an error may both come.
    if (!over) finish({ outcome, answer: readAnswer(), error });
    request?.destroy();
  }
  function attempt(): void {
    const current = start();
    let hasResponse = false;
    request = current;
    current.on("socket", unrefSocket);
    // On a new connection the receiver may read it after a later one on an old connection, until it is answered.
    current.on("finish", () => current.reusedSocket && resolveSent());
    current.on("response", async (response) => {
      hasResponse = true;
      const reading = readResponse(response);
      readAnswer = reading.readAnswer;
      if (await reading.complete) finish({ outcome: "ANSWERED", answer: readAnswer() });
      else fail("UNREACHABLE", `${host} closed the connection before its answer was complete.`);
    });
    current.on("error", (error: NodeJS.ErrnoException) => {
      if (!over && isClosedByPeer(current, error)) attempt();
      else if (error instanceof Blocked) fail("BLOCKED", error.message);
      else fail("UNREACHABLE", explainFailure(error, url));
    });
    // A receiver that changes protocols has not taken the message.
    current.on("upgrade", (_, socket) => socket.destroy());
    current.on("close", () => {
      // An older connection that closes late says nothing of this one.
      if (current === request && !hasResponse) fail("UNREACHABLE", explainFailure({ code: "ECONNRESET" }, url));
    });
  }

  attempt();
  return { result, sent, abort: () => fail("ABORTED", "The sandbox was stopped.") };
}

function unrefSocket(socket: Socket): void {
  socket.unref();
  // Node may try several addresses, each with a handle of its own.
  if (socket.connecting) socket.once("connect", () => socket.unref());
}

/** The receiver had closed a connection that was kept alive. That is no refusal, so the request is sent again on another. */
function isClosedByPeer(request: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  // On a new connection the same error is the receiver's own.
  return request.reusedSocket && (code === "ECONNRESET" || code === "EPIPE");
}

interface AnswerReading {
  /** What was received so far. */
  readAnswer(): NonNullable<Attempt["answer"]>;
  /** Whether the response is complete, or longer than is read. */
  complete: Promise<boolean>;
}

function readResponse(response: IncomingMessage): AnswerReading {
  const stored: Buffer[] = [];
  let size = 0;
  const complete = new Promise<boolean>((resolve) => {
    response.on("data", (chunk: Buffer) => {
      // The rest is counted and not kept.
      if (size < MAX_STORED_BYTES) stored.push(chunk.subarray(0, MAX_STORED_BYTES - size));
      size += chunk.length;
      if (size <= MAX_READ_BYTES) return;
      resolve(true);
      response.destroy();
    });
    // `end` comes also for a chunked answer that was cut.
    response.on("end", () => resolve(response.complete));
    response.on("error", () => resolve(false));
    response.on("close", () => resolve(false));
  });
  const readAnswer = () => ({
    status: response.statusCode ?? 0,
    headers: toStoredHeaders(response),
    body: Buffer.concat(stored).toString("utf8"),
  });
  return { readAnswer, complete };
}

function toStoredHeaders({ headers }: IncomingMessage): Record<string, string> {
  const stored: Record<string, string> = {};
  let left = MAX_STORED_BYTES;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
    left -= name.length + text.length;
    if (left >= 0) stored[name] = text;
  }
  return stored;
}

function createDeferred<T>(): [Promise<T>, (value: T) => void] {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((good) => {
    resolve = good;
  });
  return [promise, resolve];
}
