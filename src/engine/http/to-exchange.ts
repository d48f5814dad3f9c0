// Creates the exchange of a request and the cause of its changes, and describes errors of the body reader. Assumption:
// body-size.
import { performance } from "node:perf_hooks";
import type { TimePort, WorldsPort } from "../app/application.ts";
import { fromMillis, type Instant } from "../domain/kernel/instant.ts";
import { redactTarget } from "../log/redact.ts";
import { readQuery } from "../log/view.ts";
import { STATE_LIMIT, STATE_TOO_LARGE } from "../settings.ts";
import type { Cause } from "../world/state/commit.ts";
import { HttpError, type TransportRule } from "./errors.ts";
import { createFindings, type Exchange, type RawRequest, type SandboxRequest } from "./exchange.ts";

export function toExchange(request: SandboxRequest, application: WorldsPort & TimePort): Exchange {
  const sending = {
    method: request.method ?? "GET",
    target: request.url ?? "/",
    headers: request.headers as RawRequest["headers"],
    raw: request.raw,
  };
  const received = {
    unreadable: request.unreadable === undefined ? undefined : describeUnreadable(request.unreadable),
    localAddress: request.socket.localAddress,
    httpVersion: request.httpVersion,
    mount: request.baseUrl ?? "",
  };
  return createExchange(sending, received, application);
}

type Received = Pick<Exchange, "unreadable" | "localAddress" | "httpVersion" | "mount">;

/** Creates an exchange from the parts of a request. */
export function createExchange(
  { method, target, headers, raw }: RawRequest,
  received: Received,
  application: WorldsPort & TimePort,
): Exchange {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  return {
    id: application.newId(isActOrTrigger({ method, path }) ? "act" : "req"),
    method,
    target,
    path,
    query: readQuery(target),
    headers,
    raw,
    ...received,
    started: performance.now(),
    at: findNow(application),
    ...createFindings(),
  };
}

/** Finds the time for the request log until the world of the request is known. */
function findNow(application: WorldsPort & TimePort): Instant {
  const world = application.worlds.get("default");
  try {
    if (world) return application.now(world);
  } catch {
    // A world in quarantine may have no clock to read.
  }
  // The default world may be on another node.
  return fromMillis(performance.timeOrigin + performance.now());
}

const ACT = /^\/_sandbox\/(?:acts\/(\w+)|trigger)$/;

/** Whether the request is an act. Its id then begins with `act`, because webhooks name their cause. */
export const isActOrTrigger = ({ method, path }: Pick<Exchange, "method" | "path">): boolean =>
  method === "POST" && ACT.test(path);

export function nameAct({ path, body }: Exchange): string {
  const { kind } = (body ?? {}) as { kind?: unknown };
  return ACT.exec(path)?.[1] ?? `trigger ${String(kind)}`;
}

/** Creates the cause of the changes of a request or an act. */
export function toCause(exchange: Exchange): Cause {
  const { id, method, target, route, key, sentBy } = exchange;
  const isAct = isActOrTrigger(exchange);
  const kind = isAct ? "act" : "request";
  // The log lists no requests of tools.
  if (!isAct && sentBy === "tool") return { kind, id };
  const operation = isAct ? nameAct(exchange) : route?.id;
  return { kind, id, request: { operation, method, target: redactTarget(target), client_id: key?.id } };
}

/**
 * Rejects a header that was sent more than once. A program that reads the first and one that reads the last would see
 * different requests. Node keeps only the first of several, so the raw headers are counted.
 */
export function assertNoRepeatedHeader({ rawHeaders }: Pick<SandboxRequest, "rawHeaders">): void {
  let [hosts, authorizations] = [0, 0];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    // The lengths spare most names the conversion to lower case.
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
    else if (name.length === 13 && name.toLowerCase() === "authorization") authorizations++;
  }
  if (hosts > 1) throw createRepeated("host-repeated", "Host", hosts, "RFC 9112 section 3.2");
  if (authorizations > 1)
    throw createRepeated("authorization-repeated", "Authorization", authorizations, "RFC 9110 section 5.3");
}

const createRepeated = (rule: TransportRule, name: string, times: number, source: string): HttpError =>
  new HttpError(400, `The header ${name} was sent ${times} times. Send it once (${source}).`, {
    rule,
    values: { times },
  });

interface ReaderError {
  type?: string;
  status?: number;
  message?: string;
  limit?: number;
}

/**
 * Describes an error of the body reader. An error without a type and status is an error of the sandbox, and is returned
 * unchanged.
 */
function describeUnreadable(reason: unknown): unknown {
  const { type, status, message = "", limit } = reason as ReaderError;
  if (type === undefined && status === undefined) return reason;
  const values = { limit, encoding: message, why: message };
  if (type === "entity.too.large") {
    const text =
      limit === STATE_LIMIT ? `The document ${STATE_TOO_LARGE}` : `The body is larger than ${limit} bytes. Send less.`;
    return new HttpError(413, text, { rule: "body-size", values });
  }
  if (type === "encoding.unsupported") {
    const text = `The content-encoding is not supported: ${message}. Send the body plain, or as gzip, deflate or br.`;
    return new HttpError(415, text, { rule: "content-encoding", values });
  }
  const text = `The body can't be read: ${message}. Send the complete body again.`;
  return new HttpError(status && status < 500 ? status : 400, text, { rule: "body-unreadable", values });
}
