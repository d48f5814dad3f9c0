// What vitest does once, before the first test and before there are any workers: src/contract/generated as spec/ says, and, when a test runs
// that needs it, dist/ as src/ says.
import { readFileSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { buildBundle } from "../src/build/bundle.mjs";
import { setup as buildSpec } from "../src/build/spec.mjs";
import { chromiumPath, NO_CHROMIUM } from "./browser/chromium.ts";

/** How a test shows that it runs what is in dist/. */
const NEEDS_DIST =
  /run-sandbox|own-process|steps-kit|browser-kit|postgres\/(node|cluster)|\.\/(node|cluster)\.ts|["'`]dist\//;

export async function setup(project: TestProject): Promise<void> {
  await buildSpec();
  if (process.env.SANDBOX_BROWSER && !chromiumPath) process.stderr.write(NO_CHROMIUM);
  const { filenamePattern } = project.vitest as { filenamePattern?: string[] };
  const { testFiles } = await project.globTestFiles(filenamePattern);
  if (testFiles.some((file) => NEEDS_DIST.test(readFileSync(file, "utf8")))) await buildBundle();
}
