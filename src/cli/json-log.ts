// The log for operators: one JSON object a line, for whatever collects them. Lines are written in batches; what a reader that is too slow
// does not take is left out, and a line says how much that was.
import { type OperatorLogEntry, wallClock } from "../sandbox.ts";
import { toMessage } from "./failure.ts";
import type { Introduction } from "./terminal/connection-info.ts";
import { makeLineBuffer } from "./terminal/line-buffer.ts";
import type { Terminal } from "./terminal/terminal.ts";

interface JsonLog {
  tell(happening: OperatorLogEntry): void;
  warn(message: string): void;
  logStarted(introduction: Introduction): void;
  /** The sandbox could not start; whoever started it still gets the reason. */
  logFailed(reason: unknown): Promise<never>;
  /** Writes the rest. */
  end(): Promise<void>;
}

/** `isBeside`: to stderr, since stdout has another reader. Members of a line are a contract with whatever collects them. */
export function makeJsonLog(terminal: Pick<Terminal, "write" | "complain" | "unread">, isBeside: boolean): JsonLog {
  // The time comes first, then level and event, so that a line can be read by eye.
  const formatLine = ({ level, event, ...rest }: OperatorLogEntry) =>
    JSON.stringify({ time: new Date(wallClock()).toISOString(), level, event, ...rest });
  const lines = makeLineBuffer(isBeside ? { write: terminal.complain, unread: 0 } : terminal, (leftOut) =>
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
