// npm installs a package more than once when packages need different versions of it: mime-db 1.54.0 was three times in a bundle, and
// each start read it three times. Of several copies with one name and version, the bundle takes the first in the lock file.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./changed.mjs";

const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const idOf = (location) => `${location.split("node_modules/").at(-1)}@${packages[location].version}`;
const first = new Map(
  Object.keys(packages)
    .reverse()
    .map((location) => [idOf(location), location]),
);

/** The same file of the first copy. */
function inFirst(path) {
  const [, location, inside] =
    /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(relative(root, path).replaceAll("\\", "/")) ?? [];
  return packages[location] ? join(root, first.get(idOf(location)), inside) : path;
}

export const oneCopy = {
  name: "one-copy",
  setup(builder) {
    builder.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...options }) => {
      if (pluginData) return undefined;
      const found = await builder.resolve(path, { ...options, pluginData: "one-copy" });
      return found.external || found.errors.length > 0 ? found : { ...found, path: inFirst(found.path) };
    });
  },
};
