// Hands attempts to relays. A relay is a client that reads the attempts of a world from a stream, sends them, and reports the outcome
// of each. Relays serve receivers on the client's own machine, so they only get attempts to loopback addresses.
import type { Schemas } from "../../contract/schemas.ts";
import { isLoopback } from "../../platform/loopback.ts";
import { createDeferred, type DeliveryRequest, type DeliveryResult, type InFlight } from "./http-delivery.ts";
import { isControlApi } from "./targets.ts";

interface OpenRelay {
  hand(delivery: { id: string; url: string; headers: Record<string, string>; body: string; timeout_ms: number }): void;
  end(): void;
}

export interface Relays {
  /** Returns a function that closes the relay. */
  open(world: string, relay: OpenRelay): () => void;
  /** Returns undefined if no relay can send the delivery. */
  send(world: string, delivery: DeliveryRequest): InFlight | undefined;
  /** Returns false if no attempt of the world has this id. */
  report(world: string, id: string, report: Schemas["RelayReport"]): boolean;
  /** Ends all relays of a world, because it was removed or moved to another process. */
  endAll(world: string): void;
}

interface RelayedAttempt {
  world: string;
  relay: OpenRelay;
  finish(ended: DeliveryResult): void;
}

/** The time that a relay has in addition to the receiver's timeout, for the connection between client and sandbox. */
const RELAY_OVERHEAD_MS = 15_000;

export function makeRelays(newId: () => string, timeoutMs: number): Relays {
  /** The open relays by world, the latest last. */
  const relays = new Map<string, OpenRelay[]>();
  const attempts = new Map<string, RelayedAttempt>();

  function close(world: string, relay: OpenRelay): void {
    const remaining = (relays.get(world) ?? []).filter((each) => each !== relay);
    if (remaining.length > 0) relays.set(world, remaining);
    else relays.delete(world);
    const error = "The relay ended before it reported a response.";
    for (const each of attempts.values())
      if (each.relay === relay) each.finish({ outcome: "UNREACHABLE", answer: null, error, relayed: true });
  }

  return {
    open(world, relay) {
      relays.set(world, [...(relays.get(world) ?? []), relay]);
      return () => close(world, relay);
    },

    send(world, { url, headers, body }) {
      // The latest relay gets the delivery, so that a restarted client receives it immediately.
      const relay = relays.get(world)?.at(-1);
      if (!relay || !isLoopback(new URL(url).hostname) || isControlApi(url)) return undefined;
      const id = newId();
      const [result, resolve] = createDeferred<DeliveryResult>();
      const finish = (ended: DeliveryResult) => {
        clearTimeout(timer);
        attempts.delete(id);
        resolve(ended);
      };
      const error = `The relay reported no response within ${(timeoutMs + RELAY_OVERHEAD_MS) / 1000} s.`;
      const timedOut: DeliveryResult = { outcome: "TIMED_OUT", answer: null, error, relayed: true };
      const timer = setTimeout(() => finish(timedOut), timeoutMs + RELAY_OVERHEAD_MS).unref();
      attempts.set(id, { world, relay, finish });
      relay.hand({ id, url, headers, body, timeout_ms: timeoutMs });
      // `sent` resolves immediately, because the relay keeps the order.
      return { result, sent: Promise.resolve(), abort: () => finish({ outcome: "ABORTED", answer: null }) };
    },

    report(world, id, { outcome, answer, error, duration_ms }) {
      const attempt = attempts.get(id);
      // A client can only report attempts of its own world.
      if (attempt?.world !== world) return false;
      const failure = error === undefined ? {} : { error };
      attempt.finish({ outcome, answer: answer && toStoredResponse(answer), ...failure, duration_ms, relayed: true });
      return true;
    },

    endAll(world) {
      for (const relay of relays.get(world) ?? []) relay.end();
    },
  };
}

type RelayedResponse = NonNullable<Schemas["RelayReport"]["answer"]>;

const toStoredResponse = ({ status, headers, body }: RelayedResponse) => ({ status, headers: { ...headers }, body });
