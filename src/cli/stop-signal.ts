// Stops a long-running command: SIGINT, SIGTERM and SIGHUP (unless `nohup` ignores it) stop it cleanly, and a second signal stops it
// immediately.
import { readFileSync } from "node:fs";
import { constants } from "node:os";

/**
 * Resolves with the first signal. The second signal exits. Call it before the work begins, because an earlier signal would stop the
 * process uncleanly.
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

/** Returns true under `nohup`: a listener would then stop the command. Only Linux reports ignored signals. */
function isHangUpIgnored(): boolean {
  try {
    // Bit 0 is signal 1, SIGHUP.
    const [, mask = "0"] = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false;
  }
}

/** Returns the exit code of a process that a signal stopped. */
export const toExitCode = (signal: NodeJS.Signals): number => 128 + (constants.signals[signal] ?? 0);
