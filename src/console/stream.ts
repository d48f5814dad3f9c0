// Follows the event stream of a world. A browser allows six connections per host, so all tabs of a world share one
// stream: the tab that holds a lock reads it and broadcasts the events. Without locks (a page that is neither local nor
// HTTPS), each tab has a stream of its own.
import { reach } from "./api.ts";
import { sandboxUrl } from "./home.ts";

type Kind = "hello" | "request" | "act" | "clock" | "delivery" | "world" | "fact" | "gap";
const KINDS: readonly Kind[] = ["hello", "request", "act", "clock", "delivery", "world", "fact", "gap"];

export interface StreamEvent {
  kind: Kind;
  /** The number of the log entry, or 0. */
  seq: number;
  data: unknown;
}

/** A restarted sandbox is available within seconds. */
const RETRY_MS = 1000;

interface StreamOptions {
  world: string;
  /** Resolves when the stored log has been loaded. */
  ready: Promise<void>;
  /** Returns the query parameters that continue the stream after the last known entry. */
  since: () => { since: string; instance: string };
  onEvent: (event: StreamEvent) => void;
}

/** Starts to follow the events of a world. Returns a function that stops it. */
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
  // The tab holds the lock until the promise resolves.
  const readWhileLocked = () =>
    new Promise<void>((release) => {
      signal.addEventListener("abort", () => release(), { once: true });
      const shareEvent = (event: StreamEvent) => {
        channel.postMessage(event);
        onEvent(event);
      };
      void ready.then(() => readStream(world, since, shareEvent, signal));
    });
  // The request waits until the tab that reads the stream is closed.
  navigator.locks.request(name, { signal }, readWhileLocked).catch(() => undefined);
  signal.addEventListener("abort", () => channel.close(), { once: true });
  return () => ended.abort();
}

/** Reads the stream until the signal aborts. A broken stream is reopened after the last event. */
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
      // The browser would reopen the original address and repeat all events.
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
