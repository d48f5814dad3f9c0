// Prints the log entries of this process's sandbox as they are recorded. Lines are written in batches, because a write per line slows down a
// busy server. If the reader is too slow, lines are skipped and a note says how many.
import { count } from "../../platform/count.ts";
import { isHealthPath } from "../../platform/health-paths.ts";
import type { Sandbox } from "../../sandbox.ts";
import { createDayBreaks } from "./line.ts";
import { formatLogEntry, type LogEntry } from "./log-line.ts";
import type { Terminal } from "./terminal.ts";

const FLUSH_INTERVAL_MS = 50;
/** A limit, because a reader that hangs would otherwise fill the memory. */
const MAX_UNREAD_CHARACTERS = 256 * 1024;
/** A limit, because a reader that hangs would otherwise keep the process running. */
const MAX_END_MS = 200;

export const isHealthCheck = (entry: LogEntry): boolean => entry.kind === "request" && isHealthPath(entry.path);

/** Starts printing. Returns a function that stops it and waits for the remaining lines. */
export function showLive({ log }: Sandbox["application"], terminal: Terminal): () => Promise<void> {
  const lines = makeLineBuffer(terminal);
  const formatDayBreak = createDayBreaks(terminal);
  // The listener runs inside the request, so lines are buffered.
  const stop = log.listen((entry) => {
    const view = log.show(entry, "summary") as LogEntry;
    if (isHealthCheck(view)) return;
    for (const line of [...formatDayBreak(view), formatLogEntry(view, terminal)]) lines.add(terminal.wrapLines(line));
  });
  return () => {
    stop();
    return lines.end();
  };
}

interface LineBuffer {
  add(line: string): void;
  /** Writes the remaining lines and waits briefly until the reader has read them. */
  end(): Promise<void>;
}

const formatGap = (leftOut: number): string => `… ${count(leftOut, "line")} skipped: stdout was read too slowly.`;

/** `formatNote` formats the line that says how many lines were skipped. */
export function makeLineBuffer(terminal: Pick<Terminal, "write" | "unread">, formatNote = formatGap): LineBuffer {
  let text = "";
  let leftOut = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    // The note has to wait until the lines after it can be written too.
    if (terminal.unread > 0 && leftOut > 0) return scheduleFlush();
    if (leftOut > 0) text += `${formatNote(leftOut)}\n`;
    if (text !== "") terminal.write(text);
    text = "";
    leftOut = 0;
  };
  const scheduleFlush = () => {
    timer ??= setTimeout(flush, FLUSH_INTERVAL_MS).unref();
  };
  return {
    add(line) {
      // Lines are skipped until the reader has caught up, so that there is one gap instead of many.
      if (leftOut > 0 || text.length + terminal.unread > MAX_UNREAD_CHARACTERS) leftOut++;
      else text += `${line}\n`;
      scheduleFlush();
    },
    async end() {
      flush();
      const until = performance.now() + MAX_END_MS;
      while (terminal.unread > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}
