// Before a request is served by a sandbox of several nodes: the world that it names is found, and the request goes on here, or to the
// node where the world lives. Nothing is answered from a world that lives elsewhere.
import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import type { Guest, Hosted, RequestsPort, TeamsPort, TimePort, WorldsPort } from "../../engine/app/application.ts";
import type { Gate } from "../../engine/http/app.ts";
import { failure, HttpError } from "../../engine/http/errors.ts";
import { HOP } from "../../engine/http/hop.ts";
import type { Arriving, ReadBytes } from "../../engine/http/read-bytes.ts";
import type { Router } from "../../engine/http/router.ts";
import { isOfOthers, mustMaySee } from "../../engine/http/teams/admission.ts";
import { open } from "../../engine/http/to-exchange.ts";
import { TOKEN_PATH } from "../../engine/http/token-endpoint.ts";
import { tokenFailure } from "../../engine/http/token-failure.ts";
import { write } from "../../engine/http/write.ts";
import { isStoreError, StoreError } from "../../engine/world/store/store.ts";
import { forward, type Hop, type Outcome, shortBody } from "./forward.ts";
import { type Named, type NamedWorld, worldInBody, worldNamed } from "./named.ts";

/** Before each look for a world. */
const WAITS_MS = [0, 0, 50, 150, 400, 1000];

/** A request on its way to its world. */
interface Arrival {
  request: Arriving;
  response: ServerResponse;
  body: Buffer | "unread" | "passed on";
  /** It was read by the reader that also serves it, which undoes its encoding. */
  isRead: boolean;
  unreadable?: unknown;
}

type Serve = Parameters<Gate>[2];

/** What the gate asks of the sandbox that it stands before. */
type Ports = WorldsPort & RequestsPort & TimePort & TeamsPort;

export function makeGate(hosted: Hosted, application: Ports, router: Router, read: ReadBytes): Gate {
  const match = (method: string, path: string) => {
    const found = router.match(method, path);
    return found.found === "route" ? found : undefined;
  };

  return (request, response, serve) => {
    // Who keeps the connection would send the next request to nobody.
    if (hosted.isLeaving) response.setHeader("connection", "close");
    const arrival: Arrival = { request, response, body: "unread", isRead: false };
    const named = worldNamed(request, match);
    const isControl = request.url?.startsWith("/_sandbox") ?? false;
    const isKnown = !isControl && typeof named === "object" && !named.isChosen;
    const guest = isKnown ? hosted.enter(named.world, request.headers[HOP]?.toString()) : undefined;
    if (guest) goOn(arrival, guest, serve);
    else void look(arrival, named, isControl, serve);
  };

  function look(arrival: Arrival, named: Named, isControl: boolean, serve: Serve): Promise<void> {
    return find(arrival, named, isControl)
      .then((found) => (found === undefined ? goOn(arrival, undefined, serve) : send(arrival, found, serve)))
      .catch((reason) => answer(arrival, reason));
  }

  async function find(arrival: Arrival, named: Named, isControl: boolean): Promise<NamedWorld | undefined> {
    if (named === "nothing") return undefined;
    if (typeof named === "object" && named.isChosen) {
      await mustMaySee(application, arrival.request.headers, named.world);
      return named;
    }
    const principal =
      isControl && application.teams ? await application.teams.principalOf(arrival.request.headers) : null;
    // Whoever may do nothing is told so, whatever the world.
    if (principal === undefined) return undefined;
    if (named === "caller") return { world: principal?.team ?? "default" };
    if (typeof named === "object") return (await isOfOthers(application, principal, named)) ? undefined : named;
    await new Promise<void>((resolve) => {
      read(arrival.request, arrival.response, (unreadable) => {
        arrival.unreadable = unreadable;
        resolve();
      });
    });
    arrival.isRead = true;
    const found = worldInBody(named, arrival.request.body);
    arrival.body = Buffer.isBuffer(arrival.request.body) ? arrival.request.body : Buffer.alloc(0);
    if (typeof found !== "object" || arrival.unreadable !== undefined) return undefined;
    return (await isOfOthers(application, principal, found)) ? undefined : found;
  }

  /** Looks where the world lives, and again when it was not there: a node that is closing it owns it until it is written. */
  async function send(arrival: Arrival, { world, credential }: NamedWorld, serve: Serve): Promise<void> {
    const { [HOP]: hop, "mcp-session-id": session, "sandbox-observer": observer } = arrival.request.headers;
    const isHop = hop !== undefined;
    // A session lives where its world does, and can't be moved; a witness wants the log that is where the world is.
    const from = session === undefined && observer !== "witness" ? hop?.toString() : undefined;
    for (const wait of WAITS_MS) {
      if (wait > 0) await pause(wait);
      const location = await (isHop ? hosted.locateHere(world, from) : hosted.locate(world, credential));
      if (location === undefined) return misdirected(arrival, world);
      if (location.is === "unreadable") throw new StoreError(location.why);
      if (location.is === "unknown") return goOn(arrival, undefined, serve);
      if (location.is === "here") {
        const { guest, guess } = location;
        if (guess) arrival.response.once("close", () => arrival.response.statusCode < 400 && guess.right());
        return goOn(arrival, guest, serve);
      }
      const outcome = await pass(arrival, world, location.url);
      if (outcome === "answered") return;
      hosted.misplaced(world);
      if (outcome === "broken" || arrival.body === "passed on") break;
    }
    throw new StoreError(`World ${world} is moving to another node. Send the request again.`);
  }

  async function pass(arrival: Arrival, world: string, url: string): Promise<Outcome> {
    const { request, response } = arrival;
    const read = arrival.body === "unread" ? await shortBody(request) : arrival.body;
    arrival.body = read;
    const body = read === "passed on" ? undefined : read;
    const isThere = () => hosted.isAt(world, url);
    const watched = forwarding(application.monitor, request, { world, to: url, node: hosted.node });
    const { traceparent } = watched;
    const hop: Hop = { request, response, url, body, plain: arrival.isRead, from: hosted.node, traceparent, isThere };
    const outcome = await forward(hop);
    watched.ended(outcome);
    return outcome;
  }

  function goOn(arrival: Arrival, guest: Guest | undefined, serve: Serve): void {
    const { request, response, isRead, unreadable, body } = arrival;
    if (guest) response.once("close", () => guest.leave());
    if (isRead) serve(unreadable, guest);
    else {
      if (body !== "unread") putBack(request, body);
      read(request, response, (why) => serve(why, guest));
    }
  }

  function misdirected(arrival: Arrival, world: string): void {
    application.monitor.count("misdirected");
    const exchange = open(arrival.request, application, undefined);
    const message = `World ${world} does not live on this node.`;
    exchange.answer = failure(new HttpError(421, message, { code: "MISDIRECTED_REQUEST" }), exchange.id);
    write(exchange, arrival.response);
  }

  function answer({ request, response }: Arrival, reason: unknown): void {
    const exchange = open(request, application, undefined);
    exchange.answer = (exchange.path === TOKEN_PATH ? tokenFailure : failure)(reason, exchange.id);
    if (!isStoreError(reason) && !(reason instanceof HttpError))
      application.warn(`A request could not be sent on: ${String(reason)}. Please report it.`);
    write(exchange, response);
  }
}

/** It was read on its way to another node. What is encoded, or too long to be kept, is not read twice. */
function putBack(request: Arriving, body: Buffer | "passed on"): void {
  if (body === "passed on" || (body.length > 0 && request.headers["content-encoding"] !== undefined))
    throw new StoreError("The world of the request has moved here. Send the request again.");
  if (body.length > 0) request.body = body;
}

// A request on its way to the node where its world lives, as the operator sees it: counted, told, and a span of its trace.

const LONGEST_PATH = 200;

function forwarding(
  { count, tell, traces }: RequestsPort["monitor"],
  { method = "", url = "/", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  to: { world: string; to: string; node: string },
) {
  const began = performance.now();
  const sent = headers.traceparent;
  const span = traces?.begin(`forward ${method}`, typeof sent === "string" ? sent : undefined);
  return {
    traceparent: span?.traceparent,
    ended(outcome: Outcome): void {
      count("forwarded", outcome);
      const failure = outcome === "answered" ? undefined : outcome;
      span?.end({ "sandbox.world": to.world, "server.address": to.to, outcome }, failure);
      tell?.({
        ...{ level: failure ? "warning" : "info", event: "forwarded", ...to, method, outcome },
        path: url.split("?", 1)[0]?.slice(0, LONGEST_PATH),
        ms: Math.round((performance.now() - began) * 10) / 10,
      });
    },
  };
}
