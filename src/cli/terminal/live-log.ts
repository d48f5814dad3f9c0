// What happens in a sandbox of this process, line by line as it happens: requests, acts, moves of clocks, attempts of deliveries.

import { isOfTool } from "../../client/tool-requests.ts";
import type { Sandbox } from "../../sandbox.ts";
import { actLine, clockLine, deliveryLine } from "./activity-line.ts";
import { makeLineBuffer } from "./line-buffer.ts";
import { requestLine } from "./log-line.ts";
import type { Terminal } from "./terminal.ts";

type Application = Sandbox["application"];
type Happening = Parameters<Parameters<Application["activity"]["listen"]>[0]>[0];

/** Returns a function that ends it. */
export function showLive(application: Application, terminal: Terminal): () => Promise<void> {
  const lines = makeLineBuffer(terminal);
  const stop = application.activity.listen((happening) => {
    const line = lineOf(happening, application, terminal);
    if (line !== undefined) lines.add(line);
  });
  return () => {
    stop();
    return lines.end();
  };
}

function lineOf(happening: Happening, application: Application, terminal: Terminal): string | undefined {
  const { type, world, data } = happening;
  switch (type) {
    case "request":
      return lineOfRequest(data, world, application, terminal);
    case "act":
      return actLine({ ...data, facts: [...data.facts] }, terminal, world);
    case "clock":
      return clockLine(data, terminal, world);
    case "delivery":
      return deliveryLine(data, terminal, world);
    default:
      return undefined;
  }
}

function lineOfRequest(id: string, world: string, application: Application, terminal: Terminal): string | undefined {
  const brief = application.requestLogs.find(world, id)?.brief();
  if (!brief || isOfTool(brief)) return undefined;
  // Only a change causes messages.
  const webhooks = brief.facts.length === 0 ? 0 : messagesOf(id, world, application);
  return requestLine({ ...brief, webhooks, world }, terminal);
}

function messagesOf(cause: string, id: string, { worlds, now }: Application): number {
  const world = worlds.get(id);
  return world ? world.read(now(world), (tx) => tx.messages.count("cause", cause)) : 0;
}
