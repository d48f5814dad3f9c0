// A file of this package that a page consists of or leads to: what the build made in dist/, and the scenarios.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { packageFolder } from "../../../platform/package-folder.ts";
import { HttpError } from "../errors.ts";
import { type Exchange, header } from "../exchange.ts";

/** Throws 503 where it is missing, as in a checkout that was not built. */
export function packagedFile(...path: readonly string[]): Buffer {
  try {
    return readFileSync(join(packageFolder(), ...path));
  } catch {
    const advice = path[0] === "dist" ? " `npm run build` makes it." : "";
    throw new HttpError(503, `The file ${path.join("/")} of this package is missing.${advice}`);
  }
}

/** A file that the build compressed, as the client accepts it. */
export function packedFile(
  exchange: Exchange,
  ...path: readonly string[]
): { body: Buffer; headers: Record<string, string> } {
  const coding = accepts(exchange, "br") ? "br" : "gzip";
  const packed = packagedFile(...path.slice(0, -1), `${path.at(-1)}.${coding === "br" ? "br" : "gz"}`);
  const isPlain = coding === "gzip" && !accepts(exchange, "gzip");
  return {
    body: isPlain ? gunzipSync(packed) : packed,
    // Caches must tell the forms apart.
    headers: { ...(isPlain ? {} : { "content-encoding": coding }), vary: "Accept-Encoding" },
  };
}

/** RFC 9110 section 12.5.3: a coding with the weight 0 is not acceptable. */
const accepts = (exchange: Exchange, coding: string): boolean =>
  new RegExp(`(?:^|,)\\s*${coding}\\s*(?:;\\s*q=(?!0(?:\\.0*)?\\s*(?:,|$))[\\d.]+)?\\s*(?:,|$)`, "i").test(
    header(exchange, "accept-encoding") ?? "",
  );
