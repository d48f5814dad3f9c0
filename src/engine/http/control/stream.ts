// Streams the log as server-sent events.
import type { ServerResponse } from "node:http";
import type { HistoryPort, RequestsPort } from "../../app/application.ts";
import { formatEvent, StreamReader, type StreamRequest } from "../../log/follow.ts";

/** Proxies cut connections that are silent for a minute or less. */
const HEARTBEAT_MS = 15_000;

/** The timeout of a stream is this multiple of that of other responses (`http/serve.ts`), because a reader may stop at a breakpoint. */
const TIMEOUT_FACTOR = 8;

export const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };

/** Keeps an idle stream open by a heartbeat, until its reader disconnects. */
export function keepOpen(response: ServerResponse, ended: () => void): void {
  // Every write restarts the timeout, so it only expires while the reader doesn't read.
  const { socket } = response;
  socket?.setTimeout(TIMEOUT_FACTOR * (socket.timeout ?? 0));
  const beat = setInterval(() => {
    if (response.writableLength === 0) response.write(": still here\n\n");
  }, HEARTBEAT_MS);
  response.on("close", () => {
    clearInterval(beat);
    ended();
  });
}

/** Writes entries until the reader disconnects. The headers of the response are written already. */
export function followLog(
  response: ServerResponse,
  request: StreamRequest,
  { activityLog, log, followers, instance }: HistoryPort & RequestsPort,
): void {
  const reader = new StreamReader(response, { log: activityLog, logs: log }, request);
  response.write(formatEvent("hello", { instance, seq: log.lastSeq }));
  const stop = followers.add(reader);
  response.on("drain", () => followers.wake(reader));
  keepOpen(response, stop);
  followers.wake(reader);
}
