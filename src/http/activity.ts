// Whoever wants to hear of what happens: the stream, and those who wait for a request or a message.

export type Happening = { type: "request" | "fact" | "delivery" | "clock"; world: string; data: unknown };

export interface Activity {
  tell(happening: Happening): void;
  /** Answers a function that ends the listening. */
  listen(listener: (happening: Happening) => void): () => void;
  readonly listeners: number;
  /** Resolves with what `look` found once it is enough, or with what there is when the time is up. */
  until<T>(look: () => T, enough: (found: T) => boolean, timeoutMs: number): Promise<T>;
}

/** `failed` hears what a listener threw: it is none any more, and whoever tells goes on. */
export function makeActivity(failed: (reason: unknown) => void): Activity {
  const listeners = new Set<(happening: Happening) => void>();
  const listen = (listener: (happening: Happening) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    listen,
    get listeners() {
      return listeners.size;
    },
    tell(happening) {
      for (const listener of listeners) {
        try {
          listener(happening);
        } catch (reason) {
          listeners.delete(listener);
          failed(reason);
        }
      }
    },
    until: (look, enough, timeoutMs) =>
      new Promise((resolve, reject) => {
        const first = look();
        if (enough(first) || timeoutMs <= 0) return resolve(first);
        const lookAgain = (isLast: boolean) => {
          try {
            const found = look();
            if (!isLast && !enough(found)) return;
            resolve(found);
          } catch (reason) {
            reject(reason);
          }
          clearTimeout(timer);
          stop();
        };
        const timer = setTimeout(() => lookAgain(true), timeoutMs);
        const stop = listen(() => lookAgain(false));
      }),
  };
}
