// Which operation a method and path name. Prism's own router is slow and reads a trailing slash as an empty id, so this one is an
// index by the number of segments. Assumptions: unknown-path, error-codes (405 with Allow).
import type { IHttpOperation } from "@stoplight/types";
import { distance } from "fastest-levenshtein";
import { mostChanges } from "../../platform/nearest.ts";
import { decodeSegment } from "../../platform/path-segment.ts";
import type { Route } from "./exchange.ts";

/** One path with the routes of its methods. */
interface PathRow {
  segments: string[];
  routes: Map<string, Route>;
  path: string;
}

type Match =
  | { found: "route"; route: Route; params: Record<string, string> }
  | { found: "path"; allow: string[] }
  | { found: "nothing"; nearest: string | undefined };

export interface Router {
  match(method: string, path: string): Match;
  routes: readonly Route[];
}

/**
 * `others`: paths without operations, to be named when one of them is nearest. A look-up costs the same however many
 * paths there are.
 */
export function makeRouter(routes: readonly Route[], others: readonly string[] = []): Router {
  const rows = new Map<string, PathRow>();
  for (const route of routes) {
    const { path, method } = route.operation;
    const row = rows.get(path) ?? { segments: path.slice(1).split("/"), routes: new Map<string, Route>(), path };
    row.routes.set(method.toUpperCase(), route);
    rows.set(path, row);
  }
  // Literal segments win over parameters.
  const plain = new Map([...rows].filter(([, row]) => parametersOf(row) === 0));
  const byLength = new Map<number, PathRow[]>();
  for (const row of [...rows.values()].filter((each) => parametersOf(each) > 0))
    byLength.set(row.segments.length, [...(byLength.get(row.segments.length) ?? []), row]);
  for (const list of byLength.values()) list.sort((a, b) => parametersOf(a) - parametersOf(b));

  return {
    routes,
    match(method, path) {
      // Most paths without parameters are found at once.
      const known = plain.get(path);
      if (known) return matched(known, method, {});
      const segments = path.slice(1).split("/");
      for (const row of byLength.get(segments.length) ?? []) {
        const params = paramsOf(row, segments);
        if (params) return matched(row, method, params);
      }
      return { found: "nothing", nearest: nearestTo(path, [...rows.keys(), ...others]) };
    },
  };
}

function matched(row: PathRow, method: string, params: Record<string, string>): Match {
  // RFC 9110 section 9.3.2: a HEAD is answered as a GET without a body.
  const route = row.routes.get(method === "HEAD" ? "GET" : method);
  return route ? { found: "route", route, params } : { found: "path", allow: allowed(row) };
}

function allowed(row: PathRow): string[] {
  const methods = [...row.routes.keys()];
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}

const isParameter = (segment: string): boolean => segment.startsWith("{");
const parametersOf = (row: PathRow): number => row.segments.filter(isParameter).length;

function paramsOf(row: PathRow, segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, pattern] of row.segments.entries()) {
    const segment = segments[index] ?? "";
    if (!isParameter(pattern)) {
      if (pattern !== segment) return undefined;
      continue;
    }
    const value = decodeSegment(segment);
    // An empty segment is no id.
    if (value === undefined || value === "") return undefined;
    params[pattern.slice(1, -1)] = value;
  }
  return params;
}

/** The documented path nearest to this one, in the same part of the API; `/v1` may be missing. */
function nearestTo(path: string, known: readonly string[]): string | undefined {
  const wanted = segmentsOf(path);
  const candidates = known.filter((candidate) => candidate.startsWith("/_") === path.startsWith("/_"));
  const found = candidates.map((candidate) => {
    // Four for each segment too many, so that a shorter path is not the nearest to everything.
    const steps = Math.min(stepsTo(candidate, wanted), 1 + stepsTo(candidate, ["v1", ...wanted]));
    return { candidate, steps };
  });
  const best = found.sort((a, b) => a.steps - b.steps)[0];
  return best && best.steps <= mostChanges(path, best.candidate) ? best.candidate : undefined;
}

/** Extra slashes are ignored. */
const segmentsOf = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

/** A parameter matches any segment. */
function stepsTo(candidate: string, wanted: readonly string[]): number {
  const segments = segmentsOf(candidate);
  const steps = segments.map((segment, index) =>
    isParameter(segment) && wanted[index] ? 0 : distance(segment, wanted[index] ?? ""),
  );
  return steps.reduce((total, step) => total + step, Math.max(0, wanted.length - segments.length) * 4);
}

/** The routes of a document's operations. `control`: they are those of the control surface. */
export function routesOf(operations: readonly IHttpOperation[], control: boolean): Route[] {
  return operations.map((operation) => {
    const schemes = (operation.security ?? []).flat();
    const scopes = schemes.flatMap((scheme) =>
      "flows" in scheme ? Object.keys(scheme.flows.clientCredentials?.scopes ?? {}) : [],
    );
    const maturity = String(operation.extensions?.["x-maturity"] ?? "stable");
    return { operation, id: operation.iid ?? operation.id, control, maturity, scopes };
  });
}
