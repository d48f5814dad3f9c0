// The page of the documentation at /docs. It has a policy of its own, because RapiDoc sets styles.
import type { Answer } from "../exchange.ts";
import { packagedFile } from "./packaged-file.ts";
import { securityHeaders } from "./security.ts";

export const reader = (): Answer => ({
  status: 200,
  headers: { ...securityHeaders("reader"), "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" },
  body: packagedFile("dist", "docs", "index.html"),
});
