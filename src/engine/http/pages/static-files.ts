// The scripts and style sheets of the console and of the documentation, as the build made them. They contain nothing of a world, so they
// need no token.
import { join } from "node:path";
import express from "express";
import { getPackageRoot } from "../../../platform/package-folder.ts";
import type { Middleware } from "../sandbox-router.ts";
import { CONSOLE_PATH } from "./console.ts";
import { createSecurityHeaders } from "./security.ts";

/** A request for anything else continues. */
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
        // Browsers revalidate, so an upgrade shows at once.
        response.setHeader("cache-control", "no-cache");
        for (const [name, value] of headers) response.setHeader(name, value);
      },
    } as const;
    router.use(path, express.static(join(getPackageRoot(), "dist", folder), options));
  }
  return router as unknown as Middleware;
}
