// Lists the paths that load balancers and scripts request every second. Traces and the live log leave them out, because
// they would hide other requests.
const HEALTH_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

export const isHealthPath = (path: string): boolean => HEALTH_PATHS.has(path);
