// What happens in the worlds, sent to listeners: the stream, and requests that wait for a request or a message.
import type { ActivityLog } from "../log/log.ts";
import type { ActivityStream, LogEntry } from "./application.ts";

/** `failed` gets what a listener threw: that listener is removed, and the others go on. */
export function makeActivity(failed: (reason: unknown) => void, log: ActivityLog): ActivityStream {
  const listeners = new Set<(entry: LogEntry) => void>();
  /** Each answers one who waits, with what there is. */
  const waiting = new Set<() => void>();
  const listen = (listener: (entry: LogEntry) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    next: () => log.skip(),
    get latest() {
      return log.lastSeq;
    },
    listen,
    get listeners() {
      return listeners.size;
    },
    tell(entry) {
      // A listener may leave while it is called; a set can bear that.
      for (const listener of listeners) {
        try {
          listener(entry);
        } catch (reason) {
          listeners.delete(listener);
          failed(reason);
        }
      }
    },
    until: (read, enough, timeoutMs) =>
      new Promise((resolve, reject) => {
        const first = read();
        // Nobody listens for what is there already.
        if (enough(first) || timeoutMs <= 0) return resolve(first);
        // The last look answers what there is, enough or not.
        const lookAgain = (isLast: boolean) => {
          try {
            const found = read();
            if (!isLast && !enough(found)) return;
            resolve(found);
          } catch (reason) {
            reject(reason);
          }
          clearTimeout(timer);
          stop();
          waiting.delete(answer);
        };
        const answer = () => lookAgain(true);
        const timer = setTimeout(answer, timeoutMs);
        const stop = listen(() => lookAgain(false));
        waiting.add(answer);
      }),
    end() {
      for (const answer of waiting) answer();
    },
  };
}
