// Finds the world of a request before it is served, and forwards the request if another node has the world.
import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { RequestsPort, TimePort, WorldsPort } from "../../engine/app/index.ts";
import {
  HOP,
  HttpError,
  type Middleware,
  type NextFunction,
  receiveBody,
  type SandboxRequest,
  type WorldLease,
} from "../../engine/http/extension/index.ts";
import { isStoreError, StoreError } from "../../engine/log/index.ts";
import { assertMaySee } from "../control/access.ts";
import type { HostedNode, WorldLocation } from "../ownership/hosted-node.ts";
import type { Teams } from "../teams/teams.ts";
import { type ForwardOutcome, forward, type Hop, readShortBody } from "./forward.ts";
import { type Named, readBodyWorld, readNamedWorld } from "./named.ts";

/** The waits before each search for a world: 1.6 s in all. The response is 503 after them. */
const WAITS_MS = [0, 0, 50, 150, 400, 1000];

/**
 * How long a request waits for the opening of its world. The next node may wait as long for a forwarded request, and no
 * client waits more than fifteen seconds. The opening continues, and a later request finds the world.
 */
const MAX_OPENING_MS = 6000;

interface ArrivalParts {
  hosted: HostedNode;
  teams: Teams;
  application: WorldsPort & RequestsPort & TimePort;
  request: SandboxRequest;
  response: ServerResponse;
  next: NextFunction;
}

/** Calls `next` for requests that this node serves, and for failures. Forwards the others. */
export function createGate(hosted: HostedNode, teams: Teams, application: ArrivalParts["application"]): Middleware {
  return (request, response, next) => {
    // A kept connection would lead the next request to a stopped node.
    if (hosted.isLeaving) response.setHeader("connection", "close");
    // A client that claims to be a node would learn which worlds are open here, and move them.
    const claimed = request.headers[HOP]?.toString();
    const from = claimed !== undefined && hosted.isNode(claimed) ? claimed : undefined;
    if (claimed !== from) delete request.headers[HOP];
    const named = readNamedWorld(request);
    // The fast path: a request of the public API for an open world needs neither a promise nor the database.
    const lease = named.by === "credential" ? hosted.acquireLease(named.world, from) : undefined;
    if (lease) {
      holdLease(request, response, lease);
      next();
      return;
    }
    const arrival = new Arrival({ hosted, teams, application, request, response, next });
    void arrival.route(named).catch((reason) => {
      if (!isStoreError(reason) && !(reason instanceof HttpError))
        application.warn(`A request could not be forwarded: ${String(reason)}. Please report it.`);
      next(reason);
    });
  };
}

/** Keeps the world open until the response is closed. */
function holdLease(request: SandboxRequest, response: ServerResponse, lease: WorldLease): void {
  response.once("close", () => lease.release());
  request.lease = lease;
}

/** A request on its way to its world, which has to wait for the database. */
class Arrival {
  readonly #parts: ArrivalParts;
  #body: Buffer | "unread" | "passed on" = "unread";
  /** Whether the reader of the HTTP front has read the body, and undone its encoding. */
  #isRead = false;

  constructor(parts: ArrivalParts) {
    this.#parts = parts;
  }

  async route(named: Named): Promise<void> {
    if (named.by === "session") return this.#sendToNode(named.world, named.node);
    const found = await this.#findWorld(named);
    return found === undefined ? this.#serve() : this.#sendToWorld(found);
  }

  /** Returns undefined if this node serves the request for any world. */
  async #findWorld(named: Named): Promise<{ world: string; credential?: string } | undefined> {
    const { teams, request } = this.#parts;
    if (named.by === "nothing") return undefined;
    if (named.by === "credential") return named;
    if (named.by === "form") return this.#readBodyWorld("form");
    if (named.by === "document") {
      // The documents of a world show its assumptions, so callers of other teams must not see them.
      await assertMaySee(teams, request.headers, named.world);
      return named;
    }
    const principal = await teams.findPrincipal(request.headers);
    // The response to a caller without a principal does not depend on the world.
    if (principal === undefined) return undefined;
    if (named.by === "caller") return { world: principal.team ?? "default" };
    const found = named.by === "control" ? named : await this.#readBodyWorld("body");
    if (found === undefined || principal.team === null) return found;
    // A world of another team does not exist for the caller, so it is not opened.
    const team = await teams.findTeam(found.world);
    return team === undefined || team === principal.team ? found : undefined;
  }

  /** Reads the body of a request that names its world there. */
  async #readBodyWorld(by: "form" | "body") {
    await new Promise<void>((resolve) => receiveBody(this.#parts.request, this.#parts.response, () => resolve()));
    const { raw = Buffer.alloc(0), unreadable } = this.#parts.request;
    this.#isRead = true;
    this.#body = raw;
    // A later step rejects a body that could not be read.
    const found = unreadable === undefined ? readBodyWorld(by, raw) : undefined;
    return found && "world" in found ? found : undefined;
  }

  /** Searches again if the world is not where it was found: a node that closes a world owns it until it is written. */
  async #sendToWorld({ world, credential }: { world: string; credential?: string }): Promise<void> {
    const { hosted, application } = this.#parts;
    // A forwarded request is not forwarded again, because two nodes could send it back and forth.
    const hop = this.#parts.request.headers[HOP]?.toString();
    const until = performance.now() + MAX_OPENING_MS;
    for (const wait of WAITS_MS) {
      if (wait > 0) await pause(wait);
      const search = hop === undefined ? hosted.locate(world, credential) : hosted.locateHere(world, hop);
      const location = await waitUntil(until, search);
      if (location === "late") throw new StoreError(`World ${world} is still being opened. Send the request again.`);
      if (location === undefined) {
        // The node that has forwarded the request searches again.
        application.monitor.count("misdirected");
        throw new HttpError(421, `World ${world} does not live on this node.`, { code: "MISDIRECTED_REQUEST" });
      }
      if (location.is === "unreadable") throw new StoreError(location.why);
      if (location.is === "unknown") return this.#serve();
      if (location.is === "here") {
        const { lease, confirmGuess } = location;
        // A successful request had a right credential.
        if (confirmGuess)
          this.#parts.response.once("close", () => this.#parts.response.statusCode < 400 && confirmGuess());
        return this.#serve(lease);
      }
      const outcome = await this.#pass(world, location.url, () => hosted.isAt(world, location.url));
      if (outcome === "answered") return;
      hosted.forgetAddress(world);
      // The request may have been carried out, and only the client knows whether it may be repeated.
      if (outcome === "broken" || this.#body === "passed on") break;
    }
    throw new StoreError(`World ${world} is moving to another node. Send the request again.`);
  }

  /** The worlds of a session may be elsewhere, because its tools send requests of their own. */
  async #sendToNode(world: string, node: string): Promise<void> {
    const { hosted } = this.#parts;
    const isHere = node === hosted.node || this.#parts.request.headers[HOP] !== undefined;
    const url = isHere ? undefined : await hosted.findNodeUrl(node);
    // A session of a stopped node has ended, which this node reports.
    if (url === undefined) return this.#serve();
    const outcome = await this.#pass(world, url, async () => (await hosted.findNodeUrl(node)) === url);
    if (outcome !== "answered")
      throw new StoreError("The node of the session does not answer. Send the request again.");
  }

  /** Forwards the request to the node at `url`. Reads a short body first, so that it can be sent again. */
  async #pass(world: string, url: string, isThere: Hop["isThere"]): Promise<ForwardOutcome> {
    const { hosted, application, request, response } = this.#parts;
    if (this.#body === "unread") this.#body = await readShortBody(request);
    const watched = watchForwarding(application.monitor, request, world, url);
    const outcome = await forward({
      request,
      response,
      url,
      body: this.#body === "passed on" ? undefined : this.#body,
      plain: this.#isRead,
      from: hosted.hop,
      traceparent: watched.traceparent,
      isThere,
    });
    watched.end(outcome);
    return outcome;
  }

  #serve(lease?: WorldLease): void {
    if (lease) holdLease(this.#parts.request, this.#parts.response, lease);
    if (!this.#isRead && this.#body !== "unread") putBack(this.#parts.request, this.#body);
    this.#parts.next();
  }
}

/** Resolves to the location, or to "late" after `until` (ms of the monotonic clock). Releases a lease that is found later. */
function waitUntil(until: number, search: Promise<WorldLocation | undefined>) {
  return new Promise<WorldLocation | undefined | "late">((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve("late");
      search.then((found) => found?.is === "here" && found.lease.release()).catch(() => undefined);
    }, until - performance.now());
    search.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Serves a body that was read for another node. Throws if the body was encoded or too long to keep. */
function putBack(request: SandboxRequest, body: Buffer | "passed on"): void {
  if (body === "passed on" || (body.length > 0 && request.headers["content-encoding"] !== undefined))
    throw new StoreError("The world of the request has moved here. Send the request again.");
  if (body.length > 0) request.raw = body;
}

/** Counts a forwarded request, and adds a span to its trace. */
function watchForwarding(
  { count, traces }: RequestsPort["monitor"],
  { method = "", headers }: Pick<IncomingMessage, "method" | "headers">,
  world: string,
  url: string,
) {
  // The trace of the client continues on the other node (W3C Trace Context).
  const sent = headers.traceparent;
  const span = traces?.begin(`forward ${method}`, typeof sent === "string" ? sent : undefined);
  return {
    traceparent: span?.traceparent,
    end(outcome: ForwardOutcome): void {
      count("forwarded", outcome);
      const failure = outcome === "answered" ? undefined : outcome;
      span?.end({ "sandbox.world": world, "server.address": url, outcome }, failure);
    },
  };
}
