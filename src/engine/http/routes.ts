// Converts the operations of a document to routes, with their maturity and scopes.
import type { IHttpOperation } from "@stoplight/types";
import type { Route } from "./exchange.ts";

/** `control`: whether the operations belong to the control API. */
export function createRoutes(operations: readonly IHttpOperation[], control: boolean): Route[] {
  return operations.map((operation) => {
    const schemes = (operation.security ?? []).flat();
    const scopes = schemes.flatMap((scheme) =>
      "flows" in scheme ? Object.keys(scheme.flows.clientCredentials?.scopes ?? {}) : [],
    );
    const maturity = String(operation.extensions?.["x-maturity"] ?? "stable");
    return { operation, id: operation.iid ?? operation.id, control, maturity, scopes };
  });
}
