// The documentation at /docs: the page and the two files that it loads, as the build made them. The script is kept compressed, and sent as
// the browser accepts it. The page has a policy of its own, since RapiDoc sets styles.
import type { Answer, Exchange } from "../exchange.ts";
import { packagedFile, packedFile } from "./packaged-file.ts";
import { securityHeaders } from "./security.ts";

export const reader = (): Answer => file("index.html", "text/html");

export const readerStyle = (): Answer => file("reader.css", "text/css");

function file(name: string, type: string, body: Buffer = packagedFile("dist", "docs", name)): Answer {
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    ...securityHeaders("reader"),
    // Asked for anew after each upgrade, and answered from the cache otherwise.
    "cache-control": "no-cache",
  };
  return { status: 200, headers, body };
}

export function readerScript(exchange: Exchange): Answer {
  const { body, headers } = packedFile(exchange, "dist", "docs", "reader.js");
  const answer = file("reader.js", "text/javascript", body);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
