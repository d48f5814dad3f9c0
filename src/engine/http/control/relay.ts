// Relays the delivery attempts of a world as server-sent events, and receives reports of the receivers' responses.
import type { WebhooksPort, WorldsPort } from "../../app/application.ts";
import { formatEvent } from "../../log/follow.ts";
import { HttpError } from "../errors.ts";
import { defineHandlers, done } from "./handler.ts";
import { EVENT_STREAM, keepOpen } from "./stream.ts";

export const relay = defineHandlers<WorldsPort & WebhooksPort>()({
  openRelay({ application, world }) {
    const { relays } = application;
    const { id } = world;
    return {
      status: 200,
      stream(response) {
        response.writeHead(200, EVENT_STREAM);
        // The first event shows the client that it is connected.
        response.write(formatEvent("hello", { world: id }));
        const close = relays.open(id, {
          // The client sends the delivery, and reports the response.
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
