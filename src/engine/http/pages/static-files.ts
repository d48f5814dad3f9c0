// Serves the scripts and style sheets of the console and of the documentation. They contain no data of worlds, so they need no token.
import { join } from "node:path";
import express from "express";
import { getPackageRoot } from "../../../platform/package-folder.ts";
import type { Middleware } from "../sandbox-router.ts";
import { CONSOLE_PATH } from "./console.ts";
import { createSecurityHeaders } from "./security.ts";

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
