// The addresses of the console and its sandbox.
const CONSOLE = "/_sandbox/ui";
/** The path under which an app mounts the sandbox, or "". */
const mount = location.pathname.slice(0, Math.max(0, location.pathname.indexOf(CONSOLE)));
/** The address of the console on its host. */
export const BASE = mount + CONSOLE;
/** The address of the sandbox. */
export const sandboxUrl = location.origin + mount;
