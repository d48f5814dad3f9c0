// How a long-running command is stopped: SIGINT, SIGTERM and, unless `nohup` says otherwise, the end of its terminal end it cleanly, a
// second signal at once.
import { readFileSync } from "node:fs";
import { constants } from "node:os";

/**
 * From now on the first signal resolves this, and the second exits. Called before the work begins, or a signal in
 * between would end the process uncleanly.
 */
export function waitForStopSignal(): Promise<NodeJS.Signals> {
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", ...(isHangUpIgnored() ? [] : ["SIGHUP" as const])];
  let isStopping = false;
  return new Promise((resolve) => {
    for (const signal of signals) {
      process.on(signal, () => {
        if (isStopping) process.exit(toExitCode(signal));
        isStopping = true;
        resolve(signal);
      });
    }
  });
}

/** Aborts at the first signal, so that a request in progress ends with an AbortError. */
export function abortOnStop(): AbortSignal {
  const ending = new AbortController();
  void waitForStopSignal().then(() => ending.abort());
  return ending.signal;
}

/** A listener would end what `nohup` has started. Only Linux says whether a signal is ignored. */
function isHangUpIgnored(): boolean {
  try {
    // Bit 0 is signal 1, SIGHUP.
    const [, mask = "0"] = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

/** The exit code of whoever ends by a signal. */
export function toExitCode(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0);
}
