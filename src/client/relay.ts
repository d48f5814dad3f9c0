// A relay: takes the deliveries of a world from the sandbox by a stream, lets them be made on this machine, and reports the outcome of each.
// For a sandbox that can't reach this machine, as one that is shared.
import type { Control, Schemas } from "./control.ts";
import { unwrap } from "./control.ts";
import { readServerEvents } from "./server-events.ts";

export interface RelayedDelivery {
  id: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  timeout_ms: number;
}

/** One that is being made. `sent`: the next one to the same address can't overtake it any more. */
export interface RelayAttempt {
  sent: Promise<void>;
  report: Promise<Schemas["RelayReport"]>;
}

interface Relay {
  /** Why it ended by itself; what was delivered since then says nothing. */
  lost(): string | undefined;
  close(): void;
}

/** Resolves once it is open. A sandbox that does not let it is an error. */
export async function openRelay(control: Control, make: (delivery: RelayedDelivery) => RelayAttempt): Promise<Relay> {
  const ending = new AbortController();
  const { signal } = ending;
  const body = await unwrap(control.POST("/_sandbox/relay", { parseAs: "stream", signal }));
  const events = readServerEvents(body as ReadableStream<Uint8Array> | null, signal);
  await events.next();
  let lost: string | undefined;
  const fail = (why: string) => {
    if (!signal.aborted) lost ??= why;
  };
  const last = new Map<string, Promise<void>>();
  const take = async (delivery: RelayedDelivery, before: Promise<void> | undefined, sent: () => void) => {
    await before;
    const making = make(delivery);
    void making.sent.then(sent);
    const params = { path: { attemptId: delivery.id } };
    const { response } = await control.POST("/_sandbox/relay/{attemptId}", { params, body: await making.report });
    // The world may have been reset meanwhile, and then nobody waits for it.
    if (!response.ok && response.status !== 404) fail(`an answer could not be reported (${response.status})`);
  };
  const reading = (async () => {
    for await (const { data } of events) {
      const delivery = data as RelayedDelivery;
      const before = last.get(delivery.url);
      last.set(
        delivery.url,
        new Promise((sent) => {
          take(delivery, before, sent).catch((reason: Error) => {
            sent();
            fail(reason.message);
          });
        }),
      );
    }
    fail("the sandbox ended it, or the connection broke");
  })();
  reading.catch((reason: Error) => fail(reason.message));
  return { lost: () => lost, close: () => ending.abort() };
}
