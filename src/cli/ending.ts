// How a long-running command is stopped: SIGINT, SIGTERM and SIGHUP end it cleanly, a second one at once.
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** From now on the first signal resolves this, and the second exits. */
export function askedToStop(): Promise<NodeJS.Signals> {
  let asked = false;
  return new Promise((resolve) => {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (asked) process.exit(codeOf(signal));
        asked = true;
        resolve(signal);
      });
    }
  });
}

/** The exit code of whoever ends by a signal. */
export function codeOf(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0);
}
