// A relay of a world: its attempts as server-sent events, and the reports of what receivers answered.
import type { WebhooksPort, WorldsPort } from "../../app/application.ts";
import { formatEvent } from "../../log/follow.ts";
import { HttpError } from "../errors.ts";
import { done, handlersWith } from "./handler.ts";
import { EVENT_STREAM, keepOpen } from "./stream.ts";

export const relay = handlersWith<WorldsPort & WebhooksPort>()({
  openRelay({ application, world }) {
    const { relays } = application;
    const { id } = world;
    return {
      status: 200,
      stream(response) {
        response.writeHead(200, EVENT_STREAM);
        // So that the client knows that it is connected before anything happens.
        response.write(formatEvent("hello", { world: id }));
        const close = relays.open(id, {
          // The program at the other end posts it, and reports what it was answered.
          hand: (delivery) => void response.write(formatEvent("delivery", delivery)),
          end: () => void response.end(),
        });
        keepOpen(response, close);
      },
    };
  },
  reportRelayed({ application, path, body, world }) {
    const { id } = world;
    if (application.relays.report(id, path.attemptId, body)) return done;
    throw new HttpError(404, `No attempt ${path.attemptId.slice(0, 100)} of the world ${id} waits for a report.`);
  },
});
