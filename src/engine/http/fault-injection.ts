// Where an armed fault takes effect: before the operation, so that nothing of it happens, or after it, so that the change is kept and
// only the answer is lost. Its answer has the shape of the service's own errors.
import type { Fault, FaultHit, FaultOccasion, RequestsPort } from "../app/application.ts";
import { toCode } from "../domain/kernel/error-codes.ts";
import { ANY, TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import type { Answer, Exchange, Routed } from "./exchange.ts";

/** Ends the steps of a request whose fault was triggered before the operation. */
export class FaultTriggered extends Error {}

export function injectFaultBefore(exchange: Routed, application: RequestsPort): Promise<void> | undefined {
  const fault = triggerFault(exchange, "before", application);
  if (!fault) return undefined;
  // Only late: the operation is carried out after the wait.
  if (fault.status === undefined && !fault.connection) return pause(fault.delay_ms);
  exchange.fault = fault;
  throw new FaultTriggered("a fault was injected");
}

/** The change is done and committed; what the client hears of it is the fault's. */
export function injectFaultAfter(exchange: Routed, application: RequestsPort): void {
  const fault = triggerFault(exchange, "after", application);
  if (fault) exchange.fault = fault;
}

function triggerFault(exchange: Routed, when: "before" | "after", { faults }: RequestsPort): Fault | undefined {
  const { world } = exchange;
  // Asked with every request, so it must cost nothing.
  if (!world || !faults.isArmed(world.id)) return undefined;
  const fault = faults.trigger(world.id, toOccasion(exchange, when));
  if (fault) noteHits(exchange, [{ name: fault.name, did: describeEffect(fault), fault }]);
  return fault;
}

/** What faults choose by. `*` leaves tokens out: without one nothing else could be tried. */
export function toOccasion(
  { route: { id }, method, key, client }: Routed,
  stage: FaultOccasion["stage"],
): FaultOccasion {
  return { stage, operations: id === TOKEN_OPERATION ? [id] : [id, ANY], method, client: key?.id ?? client };
}

export function noteHits(exchange: Exchange, hits: readonly FaultHit[]): void {
  if (hits.length > 0) exchange.faults = [...(exchange.faults ?? []), ...hits];
}

const BROKEN = {
  reset: "reset the connection",
  empty: "closed the connection without a response",
  truncate: "sent half of the response and closed the connection",
};

/** What it did, as a sentence goes on after its name. */
export function describeEffect({ status, code, delay_ms, connection, when }: Fault): string {
  const late = delay_ms === undefined ? undefined : `waited ${delay_ms} ms`;
  const answered = status === undefined ? undefined : ["answered", status, code].filter(Boolean).join(" ");
  const done = [late, connection ? BROKEN[connection] : answered].filter(Boolean).join(" and ");
  return `${done} ${when === "after" ? "after the operation was carried out" : "before the operation"}`;
}

/** The answer that a fault gives; undefined when it only delays or breaks the connection. */
export function createFaultAnswer({ status, code, retry_after }: Fault, { route }: Exchange): Answer | undefined {
  if (status === undefined) return undefined;
  const message = `Injected fault: ${route?.id} answers ${status}. \`sandbox fault list\` shows the armed faults.`;
  // The token endpoint has errors of its own form (RFC 6749 section 5.2).
  const error = { error: code ?? (status < 500 ? "invalid_request" : "server_error"), error_description: message };
  const headers = retry_after === undefined ? {} : { "retry-after": String(retry_after) };
  return { status, headers, body: route?.id === TOKEN_OPERATION ? error : { code: code ?? toCode(status), message } };
}

/** The connection keeps the process while somebody waits at it; the timer alone does not. */
export function pause(delayMs: number | undefined): Promise<void> | undefined {
  return delayMs ? new Promise((resolve) => setTimeout(resolve, delayMs).unref()) : undefined;
}
