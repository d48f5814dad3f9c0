// An attempt of a delivery as the operator sees it. Of its address only the host: a path or a query may hold a secret.
import type { Delivery, Message } from "../../domain/kernel/records.ts";
import type { Monitor } from "./monitor.ts";

export function tellAttempt(monitor: Monitor, world: string, delivery: Delivery, message: Message): void {
  const attempt = delivery.attempts.at(-1);
  const outcome = (attempt?.outcome ?? "ABORTED").toLowerCase();
  monitor.count("attempts", outcome);
  monitor.tell?.({
    ...{ level: outcome === "accepted" ? "info" : "warning", event: "delivery", id: delivery.id, world },
    ...{ message: message.id, kind: message.kind, caused_by: message.caused_by, to: hostOf(delivery.url) },
    ...{ outcome, status: attempt?.answer?.status ?? null, state: delivery.state.toLowerCase() },
    ...{ attempt: delivery.attempts.length, ms: attempt?.duration_ms },
  });
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");
