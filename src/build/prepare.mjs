// npm runs this script after an install and before it packs. Without the tools or the sources, the script succeeds without output, and
// bin/sandbox.js reports what is missing.
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const tools = ["typescript", "esbuild", "openapi-typescript", "@redocly/openapi-core"].map(
  (name) => `node_modules/${name}`,
);
const requiredPaths = [...tools, "spec/openapi.yaml", "spec/control.yaml", "src/cli/index.ts", "src/index.ts"];

if (requiredPaths.every((path) => existsSync(join(root, path)))) {
  const { buildSpec } = await import("./spec.mjs");
  const { buildBundle } = await import("./bundle.mjs");
  try {
    await buildSpec();
    await buildBundle();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
