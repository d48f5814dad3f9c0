// The console at /_sandbox/ui, as the build made it: its page at every address below, since the address says what is shown, and the two
// files that the page loads. None of them tells anything about a world, so they need no token.
import type { Answer } from "../exchange.ts";
import { packagedFile } from "./packaged-file.ts";
import { securityHeaders } from "./security.ts";

export const CONSOLE_PATH = "/_sandbox/ui";

const FILES: Readonly<Record<string, string>> = {
  "console.js": "text/javascript; charset=utf-8",
  "console.css": "text/css; charset=utf-8",
};

/** Undefined where the path is not of the console. */
export function consoleAt(path: string): (() => Answer) | undefined {
  if (path !== CONSOLE_PATH && !path.startsWith(`${CONSOLE_PATH}/`)) return undefined;
  const name = path.slice(CONSOLE_PATH.length + 1);
  const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  return () => (type ? file(name, type) : file("index.html", "text/html; charset=utf-8"));
}

function file(name: string, type: string): Answer {
  const headers = { ...securityHeaders("own"), "content-type": type, "cache-control": "no-store" };
  return { status: 200, headers, body: packagedFile("dist", "console", name) };
}
