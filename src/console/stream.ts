// What happens in a world, as it happens. A browser opens at most six connections to one address, so all tabs of one world share one
// stream: the tab that holds the lock reads it and tells the others over a BroadcastChannel; when it is closed, the next one takes the
// lock. Where the browser has no locks (a page that is neither local nor https), each tab has a stream of its own.
import { reach } from "./api.ts";
import { sandboxUrl } from "./home.ts";

type Kind = "hello" | "request" | "act" | "clock" | "delivery" | "world" | "fact" | "gap";
const KINDS: readonly Kind[] = ["hello", "request", "act", "clock", "delivery", "world", "fact", "gap"];

export interface StreamEvent {
  kind: Kind;
  /** The place in the order of all that happens; 0 where it has none. */
  seq: number;
  data: unknown;
}

/** A sandbox that is started again is there within seconds. */
const RETRY_MS = 1000;

interface StreamOptions {
  world: string;
  /** When what is kept has been read. */
  ready: Promise<void>;
  /** From where to go on, as the stream takes it. */
  since: () => { since: string; instance: string };
  onEvent: (event: StreamEvent) => void;
}

/** Returns what ends it. */
export function followWorld({ world, ready, since, onEvent }: StreamOptions): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  if (!navigator.locks || !("BroadcastChannel" in globalThis)) {
    void ready.then(() => readStream(world, since, onEvent, signal));
    return () => ended.abort();
  }
  const name = `sandbox-stream-${world}`;
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<StreamEvent>) => {
    reach.value = "there";
    onEvent(data);
  };
  // The lock is held until the promise resolves, which is when this tab ends.
  const readWhileLocked = () =>
    new Promise<void>((release) => {
      signal.addEventListener("abort", () => release(), { once: true });
      const shareEvent = (event: StreamEvent) => {
        channel.postMessage(event);
        onEvent(event);
      };
      void ready.then(() => readStream(world, since, shareEvent, signal));
    });
  // Waits until the tab that reads is closed.
  navigator.locks.request(name, { signal }, readWhileLocked).catch(() => undefined);
  signal.addEventListener("abort", () => channel.close(), { once: true });
  return () => ended.abort();
}

/** Reads until the signal ends it; what breaks is opened again where it broke. */
function readStream(
  world: string,
  since: StreamOptions["since"],
  onEvent: StreamOptions["onEvent"],
  signal: AbortSignal,
): void {
  if (signal.aborted) return;
  let timer = 0;
  let source: EventSource | undefined;
  const open = () => {
    const named = Object.entries({ world, view: "told", ...since() }).filter(([, value]) => value !== "");
    const query = new URLSearchParams(named);
    source = new EventSource(`${sandboxUrl}/_sandbox/stream?${query}`);
    for (const kind of KINDS)
      source.addEventListener(kind, ({ data, lastEventId }: MessageEvent<string>) =>
        onEvent({ kind, seq: Number(lastEventId) || 0, data: JSON.parse(data) }),
      );
    source.onopen = () => {
      reach.value = "there";
    };
    source.onerror = () => {
      // The browser would open the same address again, from where it began.
      source?.close();
      timer = window.setTimeout(open, RETRY_MS);
    };
  };
  open();
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    source?.close();
  });
}
