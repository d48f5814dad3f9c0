// Prints the log entries of this process's sandbox as they are recorded: requests, acts, clock moves, delivery attempts.
import { isHealthPath } from "../../platform/health-paths.ts";
import type { Sandbox } from "../../sandbox.ts";
import { createDayBreaks } from "./line.ts";
import { makeLineBuffer } from "./line-buffer.ts";
import { formatLogLine, type LogEntry } from "./log-line.ts";
import type { Terminal } from "./terminal.ts";

export const isHealthCheck = (entry: LogEntry): boolean => entry.kind === "request" && isHealthPath(entry.path);

/** Starts printing. Returns a function that stops it and waits for the remaining lines. */
export function showLive({ log }: Sandbox["application"], terminal: Terminal): () => Promise<void> {
  const lines = makeLineBuffer(terminal);
  const formatDayBreak = createDayBreaks(terminal);
  // The listener runs inside the request, so lines are buffered.
  const stop = log.listen((entry) => {
    const view = log.show(entry, "summary") as LogEntry;
    if (isHealthCheck(view)) return;
    for (const line of [...formatDayBreak(view), formatLogLine(view, terminal)]) lines.add(terminal.wrapLines(line));
  });
  return () => {
    stop();
    return lines.end();
  };
}
