// Lines for stdout, written in batches so that a busy server spends its time on answers. What a slow reader does not take in time is
// left out, and the reader is told how many lines that were.
import { count } from "../../platform/count.ts";
import type { Terminal } from "./terminal.ts";

/** A write for each line costs a busy server more than the line. */
const EVERY_MS = 50;
/** Characters: a reader that hangs must not fill the memory. */
const MOST_UNREAD = 256 * 1024;
/** At the end; a reader that hangs must not hold the process. */
const LAST_WORDS_MS = 200;

interface LineBuffer {
  add(line: string): void;
  /** Writes the rest, and gives the reader a moment to take it. */
  end(): Promise<void>;
}

const inWords = (leftOut: number): string => `… ${count(leftOut, "line")} left out: stdout was read too slowly.`;

/** `noteOf`: the line that says how many were left out. */
export function makeLineBuffer(terminal: Pick<Terminal, "write" | "unread">, noteOf = inWords): LineBuffer {
  let text = "";
  let leftOut = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    // The note comes only when there is room for what follows it.
    if (terminal.unread > 0 && leftOut > 0) return again();
    const note = leftOut > 0 ? `${noteOf(leftOut)}\n` : "";
    if (text + note !== "") terminal.write(text + note);
    text = "";
    leftOut = 0;
  };
  const again = () => {
    timer ??= setTimeout(flush, EVERY_MS);
    timer.unref();
  };
  return {
    add(line) {
      // Once a line is left out, all are until the reader has caught up: the gap is in one place.
      if (leftOut > 0 || text.length + terminal.unread > MOST_UNREAD) leftOut++;
      else text += `${line}\n`;
      again();
    },
    async end() {
      flush();
      const until = performance.now() + LAST_WORDS_MS;
      while (terminal.unread > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}
