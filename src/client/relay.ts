// A relay for a sandbox that can't reach this machine, such as a shared one: it receives the deliveries of a world in a stream, sends them
// from this machine, and reports each result.
import { type Control, type Schemas, unwrap } from "./control.ts";
import { readServerEvents } from "./server-events.ts";

export interface RelayedDelivery {
  id: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  timeout_ms: number;
}

/** An attempt in progress. `sent` resolves when the next delivery to the same address can no longer overtake it. */
export interface RelayAttempt {
  sent: Promise<void>;
  report: Promise<Schemas["RelayReport"]>;
}

interface Relay {
  /** Returns why the relay ended by itself, or undefined. Deliveries after that time are missing. */
  lost(): string | undefined;
  close(): void;
}

/** Resolves when the relay is open. Rejects if the sandbox rejects it. `send` sends a delivery. */
export async function openRelay(control: Control, send: (delivery: RelayedDelivery) => RelayAttempt): Promise<Relay> {
  const ending = new AbortController();
  const { signal } = ending;
  const body = await unwrap(control.POST("/_sandbox/relay", { parseAs: "stream", signal }));
  const events = readServerEvents(body as ReadableStream<Uint8Array> | null, signal);
  await events.next();
  let lost: string | undefined;
  const fail = (reason: Error) => {
    if (!signal.aborted) lost ??= reason.message;
  };
  const report = async (attemptId: string, body: Schemas["RelayReport"]) => {
    const { response } = await control.POST("/_sandbox/relay/{attemptId}", { params: { path: { attemptId } }, body });
    // The sandbox responds with 404 if the world was reset, because it no longer expects the report.
    if (response.ok || response.status === 404) return;
    throw new Error(`a response could not be reported (${response.status})`);
  };
  const relay = async (delivery: RelayedDelivery, before: Promise<void> | undefined) => {
    await before;
    const attempt = send(delivery);
    const reported = attempt.report.then((body) => report(delivery.id, body)).catch(fail);
    await Promise.race([attempt.sent, reported]);
  };
  /** The last delivery to each address. */
  const last = new Map<string, Promise<void>>();
  const relayAll = async () => {
    for await (const { data } of events) {
      const delivery = data as RelayedDelivery;
      last.set(delivery.url, relay(delivery, last.get(delivery.url)).catch(fail));
    }
    throw new Error("the sandbox ended it, or the connection broke");
  };
  relayAll().catch(fail);
  return { lost: () => lost, close: () => ending.abort() };
}
