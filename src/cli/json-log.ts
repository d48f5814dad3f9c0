// The log for operators: one JSON object per line, for log collectors. Lines are written in batches. If the reader is too slow, lines are
// dropped and a line reports how many.
import { type OperatorLogEntry, wallClock } from "../sandbox.ts";
import { toMessage } from "./failure.ts";
import type { Introduction } from "./terminal/connection-info.ts";
import { makeLineBuffer } from "./terminal/line-buffer.ts";
import type { Terminal } from "./terminal/terminal.ts";

interface JsonLog {
  tell(happening: OperatorLogEntry): void;
  warn(message: string): void;
  logStarted(introduction: Introduction): void;
  /** Logs why the sandbox could not start, and rethrows the reason. */
  logFailed(reason: unknown): Promise<never>;
  /** Logs the stop and writes all remaining lines. */
  end(): Promise<void>;
}

/** `isBeside`: the log goes to stderr, because stdout has another reader. The fields of a line are a contract with log collectors. */
export function makeJsonLog(terminal: Pick<Terminal, "write" | "writeStderr" | "unread">, isBeside: boolean): JsonLog {
  // Time, level and event come first, so that people can read a line.
  const formatLine = ({ level, event, ...rest }: OperatorLogEntry) =>
    JSON.stringify({ time: new Date(wallClock()).toISOString(), level, event, ...rest });
  const lines = makeLineBuffer(isBeside ? { write: terminal.writeStderr, unread: 0 } : terminal, (leftOut) =>
    formatLine({ level: "warning", event: "left_out", lines: leftOut }),
  );
  const tell = (happening: OperatorLogEntry) => lines.add(formatLine(happening));
  const end = async () => {
    tell({ level: "info", event: "stopped" });
    await lines.end();
  };
  return {
    tell,
    end,
    warn: (message) => tell({ level: "warning", event: "warning", message }),
    logStarted({ announcement: { url, pid, fixture }, version }) {
      tell({ level: "info", event: "started", url, version, pid, fixture });
    },
    async logFailed(reason) {
      tell({ level: "error", event: "failed", message: toMessage(reason) });
      await lines.end();
      throw reason;
    },
  };
}
