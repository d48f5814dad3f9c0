// An esbuild plugin that bundles one copy of each package version: the first in the lock file. npm can install several copies of a
// version. mime-db 1.54.0 was in a bundle three times, and each start read all three copies.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./changed.mjs";

const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const formatPackageId = (location) => `${location.split("node_modules/").at(-1)}@${packages[location].version}`;
const first = new Map(
  Object.keys(packages)
    .reverse()
    .map((location) => [formatPackageId(location), location]),
);

/** Finds the same file in the first copy of its package. */
function findFirstCopy(path) {
  const [, location, inside] =
    /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(relative(root, path).replaceAll("\\", "/")) ?? [];
  return packages[location] ? join(root, first.get(formatPackageId(location)), inside) : path;
}

export const oneCopy = {
  name: "one-copy",
  setup(builder) {
    builder.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...options }) => {
      if (pluginData) return undefined;
      const found = await builder.resolve(path, { ...options, pluginData: "one-copy" });
      return found.external || found.errors.length > 0 ? found : { ...found, path: findFirstCopy(found.path) };
    });
  },
};
