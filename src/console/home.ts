// Where the console and its sandbox are.
const CONSOLE = "/_sandbox/ui";
/** Where an app mounts the sandbox under a path, that path. */
const mount = location.pathname.slice(0, Math.max(0, location.pathname.indexOf(CONSOLE)));
/** The address of the console on its host. */
export const BASE = mount + CONSOLE;
/** The address of the sandbox. */
export const sandboxUrl = location.origin + mount;
