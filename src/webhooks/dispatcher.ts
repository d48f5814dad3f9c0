// The only outgoing HTTP: posts a message, and makes the dispatcher that does so for every world. Rules: keep-alive, one time-out over
// all, no redirect is followed, an answer is bounded. Headings "Events", "Delivery headers"; assumptions: delivery-success,
// delivery-targets.
import { Agent, request as httpRequest } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { isLinkLocalOrMetadata } from "../domain/company/subscription.ts";
import type { World } from "../world/state/world.ts";
import type { Call, Reply } from "./attempt.ts";
import { Pool } from "./connection-limit.ts";
import { nextDelivery } from "./deliveries.ts";
import type { DispatcherPorts, ReceiptLine } from "./dispatcher-ports.ts";
import { type Flight, fly } from "./http-delivery.ts";
import { Queue } from "./queue.ts";
import { Blocked, makeLookup } from "./targets.ts";

export type { DispatcherPorts } from "./dispatcher-ports.ts";

export interface Dispatcher {
  /** After a commit: starts whatever is due now. Returns at once and never throws. */
  nudge(world: World): void;
  /** For a clock move: attempts everything due by the world's clock, and waits until it is recorded. */
  attemptDue(world: World): Promise<ReceiptLine[]>;
  /** When the first pending delivery is due; undefined when none is, or none can be sent any more. */
  nextDue(world: World): string | undefined;
  /** The world is gone, or begins anew. */
  forget(worldId: string): void;
  /** Stops: what is in flight has a second, and stays pending if that is not enough. */
  close(): Promise<void>;
}

const TIME_OUT_MS = 15_000;
const LAST_SECOND_MS = 1000;

export function makeDispatcher(application: DispatcherPorts, timeoutMs = TIME_OUT_MS): Dispatcher {
  const { post, end } = makePost(timeoutMs);
  const pool = new Pool();
  const queues = new Map<string, Queue>();
  let closed = false;

  const forget = (id: string) => {
    queues.get(id)?.stop();
    queues.delete(id);
  };
  /** A reset or restore puts another world in the place of one: its queue begins anew. */
  const queueOf = (world: World): Queue | undefined => {
    if (closed || application.world(world.id) !== world) return undefined;
    const known = queues.get(world.id);
    if (known?.world === world) return known;
    forget(world.id);
    const queue = new Queue(world, application, post, pool);
    queues.set(world.id, queue);
    return queue;
  };

  return {
    nudge: (world) => queueOf(world)?.nudge(),
    attemptDue: async (world) => (await queueOf(world)?.attemptDue()) ?? [],
    nextDue: (world) => (queueOf(world) ? application.look(world, (tx) => nextDelivery(tx)) : undefined),
    forget,
    async close() {
      closed = true;
      await Promise.all([...queues.values()].map((queue) => queue.close(LAST_SECOND_MS)));
      queues.clear();
      end();
    },
  };
}

/** A post never rejects: whatever goes wrong is an outcome. */
function makePost(timeoutMs: number): { post(call: Call): Flight; end(): void } {
  const agents = { "http:": new Agent({ keepAlive: true }), "https:": new SecureAgent({ keepAlive: true }) };
  const lookup = makeLookup();

  function post(call: Call): Flight {
    const url = new URL(call.url);
    if (isLinkLocalOrMetadata(url.hostname)) {
      const { message } = new Blocked(url.hostname);
      const reply = Promise.resolve<Reply>({ outcome: "BLOCKED", answer: null, error: message });
      return { reply, left: Promise.resolve(), abort() {} };
    }
    const secure = url.protocol === "https:";
    const options = { method: "POST", headers: call.headers, agent: agents[secure ? "https:" : "http:"], lookup };
    const send = () => (secure ? httpsRequest : httpRequest)(url, options).end(call.body);
    return fly(send, url.host, timeoutMs);
  }

  return {
    post,
    end() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}
