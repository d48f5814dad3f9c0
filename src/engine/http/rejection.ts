// Finds the rule behind the rejection of a request, with its values, for the log and `why`.
import { DomainError } from "../domain/kernel/domain-error.ts";
import { toCode } from "../domain/kernel/error-codes.ts";
import { isStoreError } from "../log/store-error.ts";
import { HttpError } from "./errors.ts";
import type { Answer, Exchange, Rejection } from "./exchange.ts";
import { describeEffect } from "./fault-injection.ts";

export function toRejection(
  reason: unknown,
  { violations }: Pick<Exchange, "violations">,
  { status, body }: Answer,
): Rejection {
  // Errors of the token endpoint have other names.
  const { code, error, message, error_description } = (body ?? {}) as Record<string, unknown>;
  return {
    status,
    code: String(code ?? error ?? ""),
    message: String(message ?? error_description ?? ""),
    violations,
    ...findRule(reason),
  };
}

function findRule(reason: unknown): Pick<Rejection, "rule" | "values"> {
  if (reason instanceof DomainError) return { rule: reason.code, values: reason.values };
  if (reason instanceof HttpError) return { rule: reason.rule, values: [reason.values] };
  return { rule: isStoreError(reason) ? "unavailable" : "other", values: [] };
}

/** Returns undefined for a request that was not rejected. An injected fault replaces the original rejection. */
export function findRejection({ fault, rejection, violations, facts }: Exchange): Rejection | undefined {
  if (!fault || (fault.status === undefined && !fault.connection)) return rejection;
  const what = fault.connection ? `the connection is ended (${fault.connection})` : `status ${fault.status}`;
  const code = fault.code ?? (fault.status === undefined ? "" : toCode(fault.status));
  const isRetained = facts.length > 0;
  // `why` names the stored changes.
  const message = isRetained ? "" : `An armed fault ${describeEffect(fault)}; nothing was changed.`;
  const values = [{ what: `${what}, ${fault.when ?? "before"} the operation`, kept: isRetained ? "yes" : "no" }];
  return { rule: "fault-injected", code, status: fault.status ?? 0, message, values, violations };
}
