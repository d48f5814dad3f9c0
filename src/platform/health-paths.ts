// The addresses that are asked every second or so, by a load balancer or whoever waits for a start: among other requests they would hide the rest.
const HEALTH_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

export const isHealthPath = (path: string): boolean => HEALTH_PATHS.has(path);
