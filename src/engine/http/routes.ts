// Converts the operations of both documents to routes, with their maturity and scopes.
import type { IHttpOperation } from "@stoplight/types";
import controlOperations from "../../contract/generated/control-operations.json" with { type: "json" };
import operations from "../../contract/generated/operations.json" with { type: "json" };
import type { Route } from "./exchange.ts";

function createRoutes(documented: readonly IHttpOperation[], control: boolean): Route[] {
  return documented.map((operation) => {
    const schemes = (operation.security ?? []).flat();
    const scopes = schemes.flatMap((scheme) =>
      "flows" in scheme ? Object.keys(scheme.flows.clientCredentials?.scopes ?? {}) : [],
    );
    const maturity = String(operation.extensions?.["x-maturity"] ?? "stable");
    return { operation, id: operation.iid ?? operation.id, control, maturity, scopes };
  });
}

export const publicRoutes: readonly Route[] = createRoutes(operations, false);
export const allRoutes: readonly Route[] = [...publicRoutes, ...createRoutes(controlOperations, true)];

const routesById = new Map(allRoutes.map((route) => [route.id, route]));

export const findRoute = (operation: string | null | undefined): Route | undefined => routesById.get(operation ?? "");
