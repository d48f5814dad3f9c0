// The log for operators: one JSON object per line, for log collectors. Lines are written in batches. If the reader is too slow, lines are
// dropped and a line reports how many.
import { type OperatorLogEntry, wallClock } from "../sandbox.ts";
import { toMessage } from "./failure.ts";
import type { Introduction } from "./terminal/introduction.ts";
import { makeLineBuffer } from "./terminal/live-log.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** `isBeside`: the log goes to stderr, because stdout has another reader. The fields of a line are a contract with log collectors. */
export function makeJsonLog(terminal: Pick<Terminal, "write" | "writeStderr" | "unread">, isBeside: boolean) {
  // Time, level and event come first, so that people can read a line.
  const formatLine = ({ level, event, ...rest }: OperatorLogEntry) =>
    JSON.stringify({ time: new Date(wallClock()).toISOString(), level, event, ...rest });
  const lines = makeLineBuffer(isBeside ? { write: terminal.writeStderr, unread: 0 } : terminal, (leftOut) =>
    formatLine({ level: "warning", event: "left_out", lines: leftOut }),
  );
  const tell = (happening: OperatorLogEntry) => lines.add(formatLine(happening));
  return {
    tell,
    warn: (message: string) => tell({ level: "warning", event: "warning", message }),
    logStarted({ announcement: { url, pid, fixture }, version }: Introduction) {
      tell({ level: "info", event: "started", url, version, pid, fixture });
    },
    /** Logs the stop and writes all remaining lines. */
    async end() {
      tell({ level: "info", event: "stopped" });
      await lines.end();
    },
    /** Logs why the sandbox could not start, and rethrows the reason. */
    async logFailed(reason: unknown): Promise<never> {
      tell({ level: "error", event: "failed", message: toMessage(reason) });
      await lines.end();
      throw reason;
    },
  };
}
