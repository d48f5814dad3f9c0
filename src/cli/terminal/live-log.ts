// What happens in a sandbox of this process, line by line as it happens: requests, acts, moves of clocks, attempts of deliveries.
import type { Sandbox } from "../../sandbox.ts";
import { makeLineBuffer } from "./line-buffer.ts";
import { type Entry, entryLine } from "./log-line.ts";
import type { Terminal } from "./terminal.ts";

/** Health checks are requests like others, and would hide them. */
export const isHealthCheck = (entry: Entry): boolean => entry.kind === "request" && entry.path === "/healthz";

/** Returns a function that ends it. */
export function showLive({ activity, log }: Sandbox["application"], terminal: Terminal): () => Promise<void> {
  const lines = makeLineBuffer(terminal);
  const stop = activity.listen((entry) => {
    if (entry.kind === "fact") return;
    const shown = log.show(entry, "summary") as Entry;
    if (!isHealthCheck(shown)) lines.add(entryLine(shown, terminal));
  });
  return () => {
    stop();
    return lines.end();
  };
}
