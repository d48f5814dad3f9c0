// The page of the console at /_sandbox/ui and at every address below, because the address says what is shown.
import type { Answer } from "../exchange.ts";
import { packagedFile } from "./packaged-file.ts";
import { securityHeaders } from "./security.ts";

export const CONSOLE_PATH = "/_sandbox/ui";

export const consolePage = (): Answer => ({
  status: 200,
  headers: { ...securityHeaders("own"), "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  body: packagedFile("dist", "console", "index.html"),
});
