// Serves the pages that the build creates: the console at /_sandbox/ui and every path below it, and the documentation at /docs.
import type { Answer } from "../exchange.ts";
import { readPackagedFile } from "./packaged-file.ts";
import { createSecurityHeaders, type PagePolicy } from "./security.ts";

export const CONSOLE_PATH = "/_sandbox/ui";

export const showConsole = (): Answer => showBuiltPage("console", "own", "no-store");
export const showReader = (): Answer => showBuiltPage("docs", "reader", "no-cache");

function showBuiltPage(folder: string, policy: PagePolicy, caching: string): Answer {
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": caching };
  const body = readPackagedFile("dist", folder, "index.html");
  return { status: 200, headers: { ...createSecurityHeaders(policy), ...headers }, body };
}
