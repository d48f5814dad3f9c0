// Relays webhook messages of a running sandbox to receivers on this machine, which the sandbox may not reach. The relay sends them exactly
// as the sandbox would.
import type { Control } from "../client/control.ts";
import { openRelay, type RelayAttempt, type RelayedDelivery } from "../client/relay.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { makeClient } from "../engine/webhooks/index.ts";
import { isLoopback } from "../platform/loopback.ts";

/** The relay ended during a run, so the messages that the receiver got are incomplete. */
export class RelayLost extends Error {
  constructor(url: string, why: string) {
    super(
      `The relay of messages from ${url} to this machine was lost: ${why}. Later messages may not have reached the receiver. Run it again.`,
    );
    this.name = "RelayLost";
  }
}

/** The relay is open for the duration of the run. */
export interface Relayed {
  /** Returns the error if the relay was lost. */
  getLoss(): RelayLost | undefined;
  close(): void;
}

/** Rejects if the sandbox does not allow relays, with a message that says what to do. */
export async function startRelay(control: Control, url: string): Promise<Relayed> {
  const relay = await openRelay(control, attemptDelivery).catch((reason) => {
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
  const why = `The sandbox at ${url} does not let this command relay its messages to receivers on this machine, so nothing was run`;
  const advice = status === 404 ? " It may be older than this command. Update it, or omit --url." : "";
  return new SandboxError(status, code, `${why}: ${message}${advice}`);
};

// Each timeout has its own client, because a client reuses its connections.
const clients = new Map<number, ReturnType<typeof makeClient>>();

function attemptDelivery({ url, headers, body, timeout_ms }: RelayedDelivery): RelayAttempt {
  // A sandbox must not make this machine send requests to others.
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
