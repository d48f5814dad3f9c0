// Creates the errors for an unknown path, with the nearest known one, and for a method that a path does not have.
// Assumptions: unknown-path, error-codes (405 with Allow).
import { distance } from "fastest-levenshtein";
import { limitChanges, suggest } from "../../platform/nearest.ts";
import { listActViews } from "./control/acts.ts";
import { documentPaths } from "./documents.ts";
import { HttpError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { allRoutes } from "./routes.ts";

/** Characters of a path that an error repeats. */
const MAX_EXCERPT = 200;

/** The paths of operations and documents, with their parameters in braces. */
const knownPaths = [...allRoutes.map(({ operation }) => operation.path), ...documentPaths];

export function createNotFound({ path }: Exchange): HttpError {
  const excerpt = path.slice(0, MAX_EXCERPT);
  const act = /^\/_sandbox\/acts\/([^/]+)$/.exec(excerpt)?.[1];
  if (act) {
    const names = listActViews().map((view) => view.act);
    return new HttpError(404, `There is no act ${act}.${suggest(act, names)}`, { list: "GET /_sandbox/acts" });
  }
  const nearest = findNearestPath(path);
  const directory = path.startsWith("/_") ? "/_sandbox/openapi.json" : "/openapi.json";
  const advice = nearest ? `The nearest documented path is ${nearest}` : `${directory} lists all paths`;
  return new HttpError(404, `There is no ${excerpt}. ${advice}.`, {
    rule: "path-unknown",
    values: { path: excerpt, nearest },
  });
}

export function createMethodNotAllowed({ method, path }: Exchange, allow: string): HttpError {
  const excerpt = path.slice(0, MAX_EXCERPT);
  return new HttpError(405, `${method} is not possible on ${excerpt}. Use one of: ${allow}.`, {
    headers: { allow },
    rule: "method-unknown",
    values: { method, path: excerpt, allow },
  });
}

/** Finds the nearest documented path in the same API; `/v1` may be missing. */
function findNearestPath(path: string): string | undefined {
  const segments = splitPath(path);
  const candidates = knownPaths
    .filter((candidate) => candidate.startsWith("/_") === path.startsWith("/_"))
    .map((candidate) => {
      const steps = Math.min(countSteps(candidate, segments), 1 + countSteps(candidate, ["v1", ...segments]));
      return { candidate, steps };
    });
  const best = candidates.sort((a, b) => a.steps - b.steps)[0];
  return best && best.steps <= limitChanges(path, best.candidate) ? best.candidate : undefined;
}

/** Splits a path, and ignores extra slashes. */
const splitPath = (path: string): string[] => path.split("/").filter((segment) => segment !== "");

/** Counts the edits between two paths. A parameter matches any segment. */
function countSteps(candidate: string, wanted: readonly string[]): number {
  const segments = splitPath(candidate);
  const steps = segments.map((segment, index) =>
    segment.startsWith("{") && wanted[index] ? 0 : distance(segment, wanted[index] ?? ""),
  );
  // Each missing segment counts as four edits, so that short paths are not the nearest to everything.
  return steps.reduce((total, step) => total + step, Math.max(0, wanted.length - segments.length) * 4);
}
