// Requests that the sandbox's own tools make, which would only hide those of the integrator: the commands say who they are, and a
// browser or a health check asks for what is no part of the service.

/** The `user-agent` of requests that a command makes on its own behalf. */
export const TOOL = "experience-sandbox-command";

const PATHS = ["/healthz", "/favicon.ico"];

export function isOfTool({ path, userAgent }: { path: string; userAgent: string }): boolean {
  return userAgent === TOOL || PATHS.includes(path);
}
