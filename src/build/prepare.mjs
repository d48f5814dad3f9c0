// npm runs this script after an install and before it packs. Without the tools or the sources, the script succeeds without output, and
// bin/sandbox.js reports what is missing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, runProgram } from "./step.mjs";

const tools = ["typescript", "esbuild", "openapi-typescript", "@redocly/openapi-core"];
const sources = ["spec/openapi.yaml", "spec/control.yaml", "src/cli/index.ts", "src/index.ts"];
const requiredPaths = [...tools.map((name) => `node_modules/${name}`), ...sources];

await runProgram(async () => {
  if (!requiredPaths.every((path) => existsSync(join(root, path)))) return;
  const { buildSpec } = await import("./spec.mjs");
  const { buildBundle } = await import("./bundle.mjs");
  await buildSpec();
  await buildBundle();
});
