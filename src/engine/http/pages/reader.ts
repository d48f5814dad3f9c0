// The documentation at /docs: the page and the two files that it loads, as the build made them. The script is kept compressed, and sent as
// the browser accepts it. The page has a policy of its own, since RapiDoc sets styles.
import { gunzipSync } from "node:zlib";
import { type Answer, type Exchange, header } from "../exchange.ts";
import { packagedFile } from "./packaged-file.ts";
import { securityHeaders } from "./security.ts";

export const reader = (): Answer => file("index.html", "text/html");

export const readerFiles: Readonly<Record<string, (exchange: Exchange) => Answer>> = {
  "/docs/reader.js": script,
  "/docs/reader.css": () => file("reader.css", "text/css"),
};

function file(name: string, type: string, body: Buffer = packagedFile("dist", "docs", name)): Answer {
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    ...securityHeaders("reader"),
    "cache-control": "no-cache",
  };
  return { status: 200, headers, body };
}

/** RFC 9110 section 12.5.3: a coding with the weight 0 is not acceptable. */
const accepts = (exchange: Exchange, coding: string): boolean =>
  new RegExp(`(?:^|,)\\s*${coding}\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*(?:,|$))[\\d.]+)?\\s*(?:,|$)`, "i").test(
    header(exchange, "accept-encoding") ?? "",
  );

function script(exchange: Exchange): Answer {
  const coding = accepts(exchange, "br") ? "br" : "gzip";
  const packed = packagedFile("dist", "docs", coding === "br" ? "reader.js.br" : "reader.js.gz");
  const isPlain = coding === "gzip" && !accepts(exchange, "gzip");
  const answer = file("reader.js", "text/javascript", isPlain ? gunzipSync(packed) : packed);
  const encoding = isPlain ? {} : { "content-encoding": coding };
  return { ...answer, headers: { ...answer.headers, ...encoding, vary: "Accept-Encoding" } };
}
