// The stream: the log as server-sent events.
import type { ServerResponse } from "node:http";
import type { HistoryPort, RequestsPort } from "../../app/application.ts";
import { formatEvent, StreamReader, type StreamRequest } from "../../log/follow.ts";

/** Proxies cut connections that are silent for a minute or less. */
const HEARTBEAT_MS = 15_000;

/** So many times as long as for another answer (`http/serve.ts`): a reader may stand still at a breakpoint. */
const PATIENCE = 8;

export const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };

/** A stream that may have nothing to say for long: its reader sees that it is there. Ends with its reader. */
export function keepOpen(response: ServerResponse, ended: () => void): void {
  // Runs only while something waits for the reader, since every byte written begins it anew.
  const { socket } = response;
  socket?.setTimeout(PATIENCE * (socket.timeout ?? 0));
  const beat = setInterval(() => {
    if (response.writableLength === 0) response.write(": still here\n\n");
  }, HEARTBEAT_MS);
  response.on("close", () => {
    clearInterval(beat);
    ended();
  });
}

/** Writes until the reader goes. The head of the response has been written. */
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
