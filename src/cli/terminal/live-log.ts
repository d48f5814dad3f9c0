// What happens in a sandbox of this process, line by line as it happens: requests, acts, moves of clocks, attempts of deliveries.
import { isHealthPath } from "../../platform/health-paths.ts";
import type { Sandbox } from "../../sandbox.ts";
import { dayBreaks } from "./line.ts";
import { makeLineBuffer } from "./line-buffer.ts";
import { entryLine, type LogEntry } from "./log-line.ts";
import type { Terminal } from "./terminal.ts";

export const isHealthCheck = (entry: LogEntry): boolean => entry.kind === "request" && isHealthPath(entry.path);

/** Returns a function that ends it. */
export function showLive({ log }: Sandbox["application"], terminal: Terminal): () => Promise<void> {
  const lines = makeLineBuffer(terminal);
  const dayOf = dayBreaks(terminal);
  // Called within the request; the buffer makes it cheap.
  const stop = log.listen((entry) => {
    const view = log.show(entry, "summary") as LogEntry;
    if (isHealthCheck(view)) return;
    for (const line of [...dayOf(view), entryLine(view, terminal)]) lines.add(line);
  });
  return () => {
    stop();
    return lines.end();
  };
}
