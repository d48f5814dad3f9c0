// Injects armed faults: before the operation, so that it doesn't run, or after it, so that its change is kept and only
// the response is lost. The response of a fault has the format of the service's errors.
import type { Fault, FaultOccasion, RequestsPort } from "../app/application.ts";
import { toCode } from "../domain/kernel/error-codes.ts";
import { ANY, TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import type { Answer, Exchange, Routed } from "./exchange.ts";

/** Ends the steps of a request whose fault was triggered before the operation. */
export class FaultTriggered extends Error {}

export function injectFaultBefore(exchange: Routed, application: RequestsPort): Promise<void> | undefined {
  const fault = triggerFault(exchange, "before", application);
  if (!fault) return undefined;
  // The operation runs after a mere delay.
  if (fault.status === undefined && !fault.connection) return pause(fault.delay_ms);
  exchange.fault = fault;
  throw new FaultTriggered("a fault was injected");
}

/** Sets the fault that replaces the response. The change is committed already. */
export function injectFaultAfter(exchange: Routed, application: RequestsPort): void {
  const fault = triggerFault(exchange, "after", application);
  if (fault) exchange.fault = fault;
}

function triggerFault(exchange: Routed, when: "before" | "after", { faults }: RequestsPort): Fault | undefined {
  const { world } = exchange;
  // This check runs for every request, so it is cheap.
  if (!world || !faults.isArmed(world.id)) return undefined;
  const [hit] = faults.hit(world.id, toOccasion(exchange, when));
  if (hit) noteHit(exchange, hit.fault, describeEffect(hit.fault));
  return hit?.fault;
}

/** Describes the request to the faults. `*` excludes token requests, because programs need a token to reach other operations. */
export function toOccasion(
  { route: { id }, method, key, client }: Routed,
  stage: FaultOccasion["stage"],
): FaultOccasion {
  return { stage, operations: id === TOKEN_OPERATION ? [id] : [id, ANY], method, client: key?.id ?? client };
}

export function noteHit(exchange: Exchange, fault: Fault, did: string): void {
  exchange.faults = [...(exchange.faults ?? []), { name: fault.name, did, fault }];
}

const BROKEN = {
  reset: "reset the connection",
  empty: "closed the connection without a response",
  truncate: "sent half of the response and closed the connection",
};

/** Describes the effect of a fault, as a sentence without its subject. */
export function describeEffect({ status, code, delay_ms, connection, when }: Fault): string {
  const late = delay_ms === undefined ? undefined : `waited ${delay_ms} ms`;
  const answered = status === undefined ? undefined : ["answered", status, code].filter(Boolean).join(" ");
  const done = [late, connection ? BROKEN[connection] : answered].filter(Boolean).join(" and ");
  return `${done} ${when === "after" ? "after the operation was carried out" : "before the operation"}`;
}

/** Creates the response of a fault; undefined if it only delays or breaks the connection. */
export function createFaultAnswer({ status, code, retry_after }: Fault, { route }: Exchange): Answer | undefined {
  if (status === undefined) return undefined;
  const message = `Injected fault: ${route?.id} answers ${status}. \`sandbox fault list\` shows the armed faults.`;
  // The token endpoint has errors of its own form (RFC 6749 section 5.2).
  const error = { error: code ?? (status < 500 ? "invalid_request" : "server_error"), error_description: message };
  const headers = retry_after === undefined ? {} : { "retry-after": String(retry_after) };
  return { status, headers, body: route?.id === TOKEN_OPERATION ? error : { code: code ?? toCode(status), message } };
}

/** Waits. The timer doesn't keep the process alive, but the connection of a waiting client does. */
export function pause(delayMs: number | undefined): Promise<void> | undefined {
  return delayMs ? new Promise((resolve) => setTimeout(resolve, delayMs).unref()) : undefined;
}
