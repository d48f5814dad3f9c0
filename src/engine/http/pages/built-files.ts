// Serves the files that the build creates, with their security policies: the console at /_sandbox/ui and every path
// below it, and the documentation at /docs. They contain no data of worlds, so they need no token.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import express from "express";
import { getPackageRoot } from "../../../platform/package-folder.ts";
import { HttpError } from "../errors.ts";
import type { Answer, Middleware } from "../exchange.ts";

/** Throws 503 for a missing file, such as in a checkout that was not built. */
export function readPackagedFile(...path: readonly string[]): Buffer {
  try {
    return readFileSync(join(getPackageRoot(), ...path));
  } catch {
    const advice = path[0] === "dist" ? " `npm run build` makes it." : "";
    throw new HttpError(503, `The file ${path.join("/")} of this package is missing.${advice}`);
  }
}

/** The policy of our own pages. */
const OWN_POLICY = [
  "default-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
];

/** The reader of the specification creates styles with inline pictures. */
const READER_ADDITIONS = ["style-src 'self' 'unsafe-inline'", "img-src 'self' data:"];

const policies = { own: OWN_POLICY, reader: [...OWN_POLICY, ...READER_ADDITIONS] };

type PagePolicy = keyof typeof policies;

/** `more`: additions to the policy of the page, such as the hash of an inline style. */
export function createSecurityHeaders(page: PagePolicy, more: readonly string[] = []): Record<string, string> {
  return {
    "content-security-policy": [...policies[page], ...more].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

export const CONSOLE_PATH = "/_sandbox/ui";

export const showConsole = (): Answer => showBuiltPage("console", "own", "no-store");
export const showReader = (): Answer => showBuiltPage("docs", "reader", "no-cache");

function showBuiltPage(folder: string, policy: PagePolicy, caching: string): Answer {
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": caching };
  const body = readPackagedFile("dist", folder, "index.html");
  return { status: 200, headers: { ...createSecurityHeaders(policy), ...headers }, body };
}

/** Other requests continue. */
export function serveStaticFiles(): Middleware {
  const router = express.Router();
  for (const [path, folder, policy] of [
    [CONSOLE_PATH, "console", "own"],
    ["/docs", "docs", "reader"],
  ] as const) {
    const headers = Object.entries(createSecurityHeaders(policy));
    const options = {
      index: false,
      redirect: false,
      setHeaders: (response: { setHeader(name: string, value: string): void }) => {
        // Browsers revalidate, so an upgrade takes effect immediately.
        response.setHeader("cache-control", "no-cache");
        for (const [name, value] of headers) response.setHeader(name, value);
      },
    } as const;
    router.use(path, express.static(join(getPackageRoot(), "dist", folder), options));
  }
  return router as unknown as Middleware;
}
