// Where an armed fault takes effect: before the operation, so that nothing of it happens, or after it, so that the change is kept and
// only the answer is lost. Its answer has the shape of the service's own errors.
import type { Application, Fault } from "../app/application.ts";
import { codeOf } from "./errors.ts";
import type { Answer, Routed } from "./exchange.ts";
import { TOKEN_OPERATION } from "./token.ts";

/** Ends the steps of a request whose fault was triggered before the operation. */
export class FaultTriggered extends Error {}

export function injectFaultBefore(exchange: Routed, application: Application): Promise<void> | undefined {
  const fault = triggered(exchange, "before", application);
  if (!fault) return undefined;
  if (fault.status === undefined && !fault.connection) return pause(fault.delay_ms);
  exchange.fault = fault;
  throw new FaultTriggered("a fault was injected");
}

export function injectFaultAfter(exchange: Routed, application: Application): void {
  const fault = triggered(exchange, "after", application);
  if (fault) exchange.fault = fault;
}

function triggered(
  { world, route, key, client }: Routed,
  when: "before" | "after",
  { faults }: Application,
): Fault | undefined {
  return world && faults.trigger(world.id, route.id, when, key?.id ?? client);
}

/** The answer that a fault gives; undefined when it only delays or breaks the connection. */
export function faultAnswer({ status, code, operation, retry_after }: Fault): Answer | undefined {
  if (status === undefined) return undefined;
  const message = `Injected fault: ${operation} answers ${status}. Clear it with DELETE /_sandbox/faults.`;
  const error = { error: code ?? (status < 500 ? "invalid_request" : "server_error"), error_description: message };
  const headers = retry_after === undefined ? {} : { "retry-after": String(retry_after) };
  return { status, headers, body: operation === TOKEN_OPERATION ? error : { code: code ?? codeOf(status), message } };
}

export function pause(delayMs: number | undefined): Promise<void> | undefined {
  return delayMs ? new Promise((resolve) => setTimeout(resolve, delayMs)) : undefined;
}
