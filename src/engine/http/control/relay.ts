// A relay of a world: its attempts as server-sent events, and the reports of what receivers answered.
import type { WebhooksPort, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { chosenWorld, done, type Handlers } from "./handler.ts";
import { EVENT_STREAM, keepOpen } from "./stream.ts";
import { eventOf } from "./stream-texts.ts";

type RelayId = "openRelay" | "reportRelayed";

export const relay: Handlers<RelayId, WorldsPort & WebhooksPort> = {
  openRelay(requested) {
    const { relays } = requested.application;
    const { id } = chosenWorld(requested);
    return {
      status: 200,
      stream(response) {
        response.writeHead(200, EVENT_STREAM);
        // So that the client knows that it is connected before anything happens.
        response.write(eventOf("hello", { world: id }));
        const close = relays.open(id, {
          // The program at the other end posts it, and reports what it was answered.
          hand: (delivery) => void response.write(eventOf("delivery", delivery)),
          end: () => void response.end(),
        });
        keepOpen(response, close);
      },
    };
  },
  reportRelayed(requested) {
    const { application, path, body } = requested;
    const { id } = chosenWorld(requested);
    if (application.relays.report(id, path.attemptId, body)) return done;
    throw new HttpError(404, `No attempt ${path.attemptId.slice(0, 100)} of the world ${id} waits for a report.`);
  },
};
