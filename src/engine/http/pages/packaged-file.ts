// Reads files of this package for pages: the build output in dist/, and the scenarios.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getPackageRoot } from "../../../platform/package-folder.ts";
import { HttpError } from "../errors.ts";

/** Throws 503 for a missing file, such as in a checkout that was not built. */
export function readPackagedFile(...path: readonly string[]): Buffer {
  try {
    return readFileSync(join(getPackageRoot(), ...path));
  } catch {
    const advice = path[0] === "dist" ? " `npm run build` makes it." : "";
    throw new HttpError(503, `The file ${path.join("/")} of this package is missing.${advice}`);
  }
}
