// The receivers of a run, or of a story, in a running sandbox: they are on this machine, which the sandbox may not reach, so a relay brings
// them their messages, sent as the sandbox itself would send them.
import type { Control } from "../client/control.ts";
import { openRelay, type RelayAttempt, type RelayedDelivery } from "../client/relay.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { makeClient } from "../engine/webhooks/index.ts";
import { isLoopback } from "../platform/loopback.ts";

/** The relay ended in the middle of a run, so that what was seen of its receiver says nothing. */
export class RelayLost extends Error {
  constructor(url: string, why: string) {
    super(
      `The relay that brings this machine its messages from ${url} was lost: ${why}. What came to the receiver after that is not known. Run it again.`,
    );
    this.name = "RelayLost";
  }
}

/** Open as long as the run lasts. */
export interface Relayed {
  /** That it was lost, where it was. */
  getLoss(): RelayLost | undefined;
  close(): void;
}

/** Rejects where the sandbox lets nobody relay, with what to do. */
export async function startRelay(control: Control, url: string): Promise<Relayed> {
  const relay = await openRelay(control, make).catch((reason) => {
    throw reason instanceof SandboxError ? toRelayError(reason, url) : reason;
  });
  return {
    getLoss() {
      const why = relay.lost();
      return why === undefined ? undefined : new RelayLost(url, why);
    },
    close: relay.close,
  };
}

const toRelayError = ({ status, code, message }: SandboxError, url: string): SandboxError => {
  const why = `The sandbox at ${url} does not let this command bring its messages to receivers on this machine, so nothing is run`;
  const advice = status === 404 ? " It may be older than this command: bring it up to date, or leave out --url." : "";
  return new SandboxError(status, code, `${why}: ${message}${advice}`);
};

// One for each time-out, since a client keeps its connections.
const clients = new Map<number, ReturnType<typeof makeClient>>();

function make({ url, headers, body, timeout_ms }: RelayedDelivery): RelayAttempt {
  // No sandbox makes this machine call another one.
  if (!isLoopback(new URL(url).hostname)) {
    const error = `${url} is not on this machine.`;
    const report = Promise.resolve({ outcome: "UNREACHABLE" as const, answer: null, error, duration_ms: 0 });
    return { sent: Promise.resolve(), report };
  }
  const client = clients.get(timeout_ms) ?? makeClient(timeout_ms);
  clients.set(timeout_ms, client);
  const began = performance.now();
  const { sent, result } = client.send({ url, headers, body });
  const report = result.then(({ outcome, answer, error }) => ({
    outcome: outcome === "ANSWERED" || outcome === "TIMED_OUT" ? outcome : ("UNREACHABLE" as const),
    answer,
    ...(error === undefined ? {} : { error }),
    duration_ms: performance.now() - began,
  }));
  return { sent, report };
}
