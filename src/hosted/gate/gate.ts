// Before a request is served by a sandbox of several nodes: the world that it names is found, and the request goes on here, or to the
// node where the world lives. Nothing is answered from a world that lives elsewhere.
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
import { assertMaySee, isOfOtherTeam } from "../control/admission.ts";
import type { Hosted, WorldLocation } from "../ownership/hosted-node.ts";
import type { Teams } from "../teams/teams.ts";
import { type ForwardOutcome, forward, type Hop, shortBody } from "./forward.ts";
import { type Named, type NamedSession, type NamedWorld, worldInBody, worldNamed } from "./named.ts";

/** Before each look for a world. In all 1.6 s, then the answer is 503. */
const WAITS_MS = [0, 0, 50, 150, 400, 1000];

/**
 * So long a request waits for its world to be opened on one node: a hop may wait as long on the next, and no client is to wait for more
 * than fifteen seconds. Opening goes on, and a later request finds the world.
 */
const OPENING_MS = 6000;

/** Characters of a path in the operator's log; the query is left out, since it may hold a secret. */
const LONGEST_PATH = 200;

interface GateDeps {
  hosted: Hosted;
  teams: Teams;
  application: WorldsPort & RequestsPort & TimePort;
}

/** Calls `next` for what is served here, and for what fails; sends on the rest. */
export function makeGate(hosted: Hosted, teams: Teams, application: GateDeps["application"]): Middleware {
  return (request, response, next) => {
    // Who keeps the connection would send the next request to nobody.
    if (hosted.isLeaving) response.setHeader("connection", "close");
    // A client that says that it is a node would learn which worlds are open here, and move them.
    const claimed = request.headers[HOP]?.toString();
    const from = claimed !== undefined && hosted.isNode(claimed) ? claimed : undefined;
    if (claimed !== from) delete request.headers[HOP];
    const named = worldNamed(request);
    const isControl = request.url?.startsWith("/_sandbox") ?? false;
    // The fast path: a request of the public API for a world that is open here needs neither a promise nor the database.
    const isWorld = !isControl && typeof named === "object" && !("node" in named) && !named.isChosen;
    const lease = isWorld ? hosted.lease(named.world, from) : undefined;
    if (lease) {
      holdLease(request, response, lease);
      next();
      return;
    }
    const arrival = new Arrival({ hosted, teams, application }, request, response, next);
    void arrival.route(named, isControl).catch((reason) => {
      if (!isStoreError(reason) && !(reason instanceof HttpError))
        application.warn(`A request could not be sent on: ${String(reason)}. Please report it.`);
      next(reason);
    });
  };
}

/** The world stays open until the response is closed, however long it streams. */
function holdLease(request: SandboxRequest, response: ServerResponse, lease: WorldLease): void {
  response.once("close", () => lease.release());
  request.lease = lease;
}

/** A request on its way to its world, which has to wait for the database. */
class Arrival {
  readonly #deps: GateDeps;
  readonly #request: SandboxRequest;
  readonly #response: ServerResponse;
  readonly #next: NextFunction;
  #body: Buffer | "unread" | "passed on" = "unread";
  /** The body was read by the reader that also serves it, which undoes its encoding. */
  #isRead = false;

  constructor(deps: GateDeps, request: SandboxRequest, response: ServerResponse, next: NextFunction) {
    this.#deps = deps;
    this.#request = request;
    this.#response = response;
    this.#next = next;
  }

  async route(named: Named, isControl: boolean): Promise<void> {
    if (typeof named === "object" && "node" in named) return this.#sendToNode(named);
    const found = await this.#find(named, isControl);
    return found === undefined ? this.#serve() : this.#sendToWorld(found);
  }

  /** The world to look for; undefined where the request is served here, whatever the world. */
  async #find(named: Exclude<Named, NamedSession>, isControl: boolean): Promise<NamedWorld | undefined> {
    if (named === "nothing") return undefined;
    const { teams } = this.#deps;
    const request = this.#request;
    if (typeof named === "object" && named.isChosen) {
      // A document as it is in a world shows what holds there: a caller of another team learns only that there is no such world.
      await assertMaySee(teams, request.headers, named.world);
      return named;
    }
    const principal = isControl ? await teams.principalOf(request.headers) : null;
    // Whoever may do nothing is told so, whatever the world.
    if (principal === undefined) return undefined;
    if (named === "caller") return { world: principal?.team ?? "default" };
    const found = typeof named === "object" ? named : await this.#findInBody(named);
    return found === undefined || (await isOfOtherTeam(teams, principal, found.world)) ? undefined : found;
  }

  /** Only for the few requests that name their world in the body, such as a token request or createWorld. */
  async #findInBody(named: "form" | "body"): Promise<NamedWorld | undefined> {
    await new Promise<void>((resolve) => receiveBody(this.#request, this.#response, () => resolve()));
    const { raw, unreadable } = this.#request;
    this.#isRead = true;
    // A body that could not be read stays empty; the step that needs it rejects the request.
    this.#body = raw ?? Buffer.alloc(0);
    return unreadable === undefined ? worldInBody(named, raw) : undefined;
  }

  /** Looks where the world lives, and again when it was not there: a node that is closing it owns it until it is written. */
  async #sendToWorld({ world, credential }: NamedWorld): Promise<void> {
    const { hosted, application } = this.#deps;
    // A request that was forwarded is never forwarded again: two nodes that believe in each other would send it round for ever.
    const hop = this.#request.headers[HOP]?.toString();
    const until = performance.now() + OPENING_MS;
    for (const wait of WAITS_MS) {
      if (wait > 0) await pause(wait);
      const search = hop === undefined ? hosted.locate(world, credential) : hosted.locateHere(world, hop);
      const location = await waitUntil(until, search);
      if (location === "late") throw new StoreError(`World ${world} is still being opened. Send the request again.`);
      if (location === undefined) {
        // The node that sent it looks again, with the address that it had removed. A client of the service never gets here.
        application.monitor.count("misdirected");
        throw new HttpError(421, `World ${world} does not live on this node.`, { code: "MISDIRECTED_REQUEST" });
      }
      if (location.is === "unreadable") throw new StoreError(location.why);
      if (location.is === "unknown") return this.#serve();
      if (location.is === "here") {
        const { lease, guess } = location;
        // A credential that was answered well was real, so opening the world was no waste and is not counted.
        if (guess) this.#response.once("close", () => this.#response.statusCode < 400 && guess.right());
        return this.#serve(lease);
      }
      const outcome = await this.#pass(world, location.url, () => hosted.isAt(world, location.url));
      if (outcome === "answered") return;
      hosted.misplaced(world);
      // It may have been carried out: only the client can know whether it is safe to repeat it.
      if (outcome === "broken" || this.#body === "passed on") break;
    }
    throw new StoreError(`World ${world} is moving to another node. Send the request again.`);
  }

  /** Its worlds may be elsewhere: its tools ask for them by requests of their own. */
  async #sendToNode({ world, node }: NamedSession): Promise<void> {
    const { hosted } = this.#deps;
    const isHere = node === hosted.node || this.#request.headers[HOP] !== undefined;
    const url = isHere ? undefined : await hosted.addressOf(node);
    // A session of a node that has ended has ended too, as is said here.
    if (url === undefined) return this.#serve();
    const outcome = await this.#pass(world, url, async () => (await hosted.addressOf(node)) === url);
    if (outcome !== "answered")
      throw new StoreError("The node of the session does not answer. Send the request again.");
  }

  /** Sends it to the node at `url`. A short body is read first, so that it can be sent again. */
  async #pass(world: string, url: string, isThere: Hop["isThere"]): Promise<ForwardOutcome> {
    const { hosted, application } = this.#deps;
    const request = this.#request;
    if (this.#body === "unread") this.#body = await shortBody(request);
    const watched = watchForwarding(application.monitor, request, { world, to: url, node: hosted.node });
    const outcome = await forward({
      request,
      response: this.#response,
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
    if (lease) holdLease(this.#request, this.#response, lease);
    if (!this.#isRead && this.#body !== "unread") putBack(this.#request, this.#body);
    this.#next();
  }
}

/** The location, or that it was not found by then (ms of the monotonic clock); who is late has no lease of the world. */
function waitUntil(
  until: number,
  search: Promise<WorldLocation | undefined>,
): Promise<WorldLocation | undefined | "late"> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve("late");
      search.then((found) => found?.is === "here" && found.lease.release()).catch(() => undefined);
    }, until - performance.now());
    search.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** It was read on its way to another node. What is encoded, or too long to be kept, is not read twice. */
function putBack(request: SandboxRequest, body: Buffer | "passed on"): void {
  if (body === "passed on" || (body.length > 0 && request.headers["content-encoding"] !== undefined))
    throw new StoreError("The world of the request has moved here. Send the request again.");
  if (body.length > 0) request.raw = body;
}

/** A request on its way to another node, as the operator sees it: counted, logged, and a span of its trace. */
function watchForwarding(
  { count, tell, traces }: RequestsPort["monitor"],
  { method = "", url = "/", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  to: { world: string; to: string; node: string },
) {
  const began = performance.now();
  // The client's trace goes on through the hop (W3C Trace Context).
  const sent = headers.traceparent;
  const span = traces?.begin(`forward ${method}`, typeof sent === "string" ? sent : undefined);
  return {
    traceparent: span?.traceparent,
    end(outcome: ForwardOutcome): void {
      count("forwarded", outcome);
      const failure = outcome === "answered" ? undefined : outcome;
      span?.end({ "sandbox.world": to.world, "server.address": to.to, outcome }, failure);
      tell?.({
        level: failure ? "warning" : "info",
        event: "forwarded",
        ...to,
        method,
        outcome,
        path: url.split("?", 1)[0]?.slice(0, LONGEST_PATH),
        ms: Math.round((performance.now() - began) * 10) / 10,
      });
    },
  };
}
