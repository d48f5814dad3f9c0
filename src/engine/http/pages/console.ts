// The console at /_sandbox/ui, as the build made it: its page at every address below, since the address says what is shown, and the
// files that the page loads, each by a name that changes with what is in it. None of them tells anything about a world, so they need no
// token.
import type { Answer, Exchange } from "../exchange.ts";
import { packagedFile, packedFile } from "./packaged-file.ts";
import { securityHeaders } from "./security.ts";

export const CONSOLE_PATH = "/_sandbox/ui";

const TYPES = { js: "text/javascript", css: "text/css", html: "text/html" };
const FOR_EVER = "public, max-age=31536000, immutable";

export const consolePage = (): Answer => ({
  status: 200,
  headers: headersOf("html", "no-store"),
  body: packagedFile("dist", "console", "index.html"),
});

export function consoleFile(exchange: Exchange, name: string, kind: "js" | "css"): Answer {
  const { body, headers } = packedFile(exchange, "dist", "console", name);
  return { status: 200, headers: { ...headersOf(kind, FOR_EVER), ...headers }, body };
}

const headersOf = (kind: keyof typeof TYPES, caching: string) => ({
  ...securityHeaders("own"),
  "content-type": `${TYPES[kind]}; charset=utf-8`,
  "cache-control": caching,
});
