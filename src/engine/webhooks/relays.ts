// Relays: a client that reads the attempts of a world from a stream makes them for the sandbox, and reports the outcome of each. They are
// for receivers on the client's own machine, so only an attempt to a loopback address is handed to one.
import type { Schemas } from "../../contract/schemas.ts";
import { isLoopback } from "../../platform/loopback.ts";
import type { DeliveryRequest, DeliveryResult, InFlight } from "./http-delivery.ts";
import { isControlApi } from "./targets.ts";

/** As the port of the application has it. */
interface OpenRelay {
  hand(delivery: { id: string; url: string; headers: Record<string, string>; body: string; timeout_ms: number }): void;
  end(): void;
}

export interface Relays {
  /** Returns what closes it. */
  open(world: string, relay: OpenRelay): () => void;
  /** Undefined where no relay takes it. */
  send(world: string, delivery: DeliveryRequest): InFlight | undefined;
  /** False where nobody waits for it. */
  report(world: string, id: string, report: Schemas["RelayReport"]): boolean;
  /** The world has gone, or lives elsewhere from now on. */
  endAll(world: string): void;
}

interface RelayedAttempt {
  world: string;
  relay: OpenRelay;
  finish(ended: DeliveryResult): void;
}

/** Beyond the time of the receiver: for the way to the client and back. */
const RELAY_OVERHEAD_MS = 15_000;

export function makeRelays(newId: () => string, timeoutMs: number): Relays {
  /** By world, the one that was opened last at the end. */
  const relays = new Map<string, OpenRelay[]>();
  const attempts = new Map<string, RelayedAttempt>();

  function close(world: string, relay: OpenRelay): void {
    const left = (relays.get(world) ?? []).filter((each) => each !== relay);
    if (left.length > 0) relays.set(world, left);
    else relays.delete(world);
    const error = "The relay ended before it reported an answer.";
    for (const each of attempts.values())
      if (each.relay === relay) each.finish({ outcome: "UNREACHABLE", answer: null, error, relayed: true });
  }

  return {
    open(world, relay) {
      relays.set(world, [...(relays.get(world) ?? []), relay]);
      return () => close(world, relay);
    },

    send(world, { url, headers, body }) {
      // The one opened last: a restarted client is served at once.
      const relay = relays.get(world)?.at(-1);
      if (!relay || !isLoopback(new URL(url).hostname) || isControlApi(url)) return undefined;
      const id = newId();
      let resolve: (ended: DeliveryResult) => void = () => undefined;
      const result = new Promise<DeliveryResult>((good) => (resolve = good));
      const finish = (ended: DeliveryResult) => {
        clearTimeout(timer);
        attempts.delete(id);
        resolve(ended);
      };
      const error = `The relay reported nothing within ${(timeoutMs + RELAY_OVERHEAD_MS) / 1000} s.`;
      const late: DeliveryResult = { outcome: "TIMED_OUT", answer: null, error, relayed: true };
      const timer = setTimeout(() => finish(late), timeoutMs + RELAY_OVERHEAD_MS).unref();
      attempts.set(id, { world, relay, finish });
      relay.hand({ id, url, headers, body, timeout_ms: timeoutMs });
      // The relay keeps the order.
      return { result, sent: Promise.resolve(), abort: () => finish({ outcome: "ABORTED", answer: null }) };
    },

    report(world, id, { outcome, answer, error, duration_ms }) {
      const attempt = attempts.get(id);
      // Nobody reports for another world.
      if (attempt?.world !== world) return false;
      const why = error === undefined ? {} : { error };
      attempt.finish({ outcome, answer: answer && toStoredAnswer(answer), ...why, duration_ms, relayed: true });
      return true;
    },

    endAll(world) {
      for (const relay of relays.get(world) ?? []) relay.end();
    },
  };
}

type RelayedAnswer = NonNullable<Schemas["RelayReport"]["answer"]>;

const toStoredAnswer = ({ status, headers, body }: RelayedAnswer) => ({ status, headers: { ...headers }, body });
