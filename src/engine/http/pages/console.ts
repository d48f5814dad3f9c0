// The console at /_sandbox/ui, as the build made it: its page at every address below, since the address says what is shown, and the
// files that the page loads, each by a name that changes with what is in it. None of them tells anything about a world, so they need no
// token.
import type { Answer, Exchange } from "../exchange.ts";
import { packagedFile, packedFile } from "./packaged-file.ts";
import { securityHeaders } from "./security.ts";

export const CONSOLE_PATH = "/_sandbox/ui";

const TYPES = { js: "text/javascript", css: "text/css", html: "text/html" };
/** `console-1a2b3c4d.js`: the page names it so, and it never changes under that name. */
const FILE = /^(console|first)-[0-9a-f]{8}\.(js|css)$/;
const FILES = ["console.js", "console.css", "first.js"];
const FOR_EVER = "public, max-age=31536000, immutable";

/** Undefined where the path is not of the console. */
export function consoleAt(path: string): ((exchange: Exchange) => Answer) | undefined {
  if (path !== CONSOLE_PATH && !path.startsWith(`${CONSOLE_PATH}/`)) return undefined;
  const [, name, kind] = FILE.exec(path.slice(CONSOLE_PATH.length + 1)) ?? [];
  const file = `${name}.${kind}`;
  if (FILES.includes(file)) return (exchange) => packed(exchange, file);
  return () => ({
    status: 200,
    headers: headersOf("html", "no-store"),
    body: packagedFile("dist", "console", "index.html"),
  });
}

function packed(exchange: Exchange, file: string): Answer {
  const { body, headers } = packedFile(exchange, "dist", "console", file);
  const kind = file.endsWith("js") ? "js" : "css";
  return { status: 200, headers: { ...headersOf(kind, FOR_EVER), ...headers }, body };
}

const headersOf = (kind: keyof typeof TYPES, caching: string) => ({
  ...securityHeaders("own"),
  "content-type": `${TYPES[kind]}; charset=utf-8`,
  "cache-control": caching,
});
