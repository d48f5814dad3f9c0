// A request on its way to the node where its world lives, as the operator sees it: counted, told, and a span of its trace.
import type { IncomingMessage } from "node:http";
import { performance } from "node:perf_hooks";
import type { Application } from "../../engine/app/application.ts";
import type { Outcome } from "./forward.ts";

const LONGEST_PATH = 200;

export function forwarding(
  { count, tell, traces }: Application["monitor"],
  { method = "", url = "/", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  to: { world: string; to: string; node: string },
) {
  const began = performance.now();
  const sent = headers.traceparent;
  const span = traces?.begin(`forward ${method}`, typeof sent === "string" ? sent : undefined);
  return {
    traceparent: span?.traceparent,
    ended(outcome: Outcome): void {
      count("forwarded", outcome);
      const failure = outcome === "answered" ? undefined : outcome;
      span?.end({ "sandbox.world": to.world, "server.address": to.to, outcome }, failure);
      tell?.({
        ...{ level: failure ? "warning" : "info", event: "forwarded", ...to, method, outcome },
        path: url.split("?", 1)[0]?.slice(0, LONGEST_PATH),
        ms: Math.round((performance.now() - began) * 10) / 10,
      });
    },
  };
}
