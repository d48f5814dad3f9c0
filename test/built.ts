// What vitest does once, before the first test and before there are any workers: src/contract/generated as spec/ says, and, when a test runs
// that needs it, dist/ as src/ says. And after the last one: what lies in the temporary folder of this run goes.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildBundle } from "../src/build/bundle.mjs";
import { buildSpec } from "../src/build/spec.mjs";
import { chromiumPath, NO_CHROMIUM } from "./browser/chromium.ts";

/** How a test shows that it runs what is in dist/. */
const NEEDS_DIST =
  /run-sandbox|own-process|steps-kit|browser-kit|postgres\/(node|cluster)|\.\/(node|cluster)\.ts|["'`]dist\//;

/** Answers what vitest does after the last test. */
export async function setup(project: TestProject): Promise<() => void> {
  await buildSpec();
  if (process.env.SANDBOX_BROWSER && !chromiumPath) process.stderr.write(NO_CHROMIUM);
  const { filenamePattern } = project.vitest as { filenamePattern?: string[] };
  const { testFiles } = await project.globTestFiles(filenamePattern);
  if (testFiles.some((file) => NEEDS_DIST.test(readFileSync(file, "utf8")))) await buildBundle();
  return temporaryFolder();
}

/** Of this run: workers are killed, and remove nothing at their end. */
function temporaryFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-tests-"));
  // Others may pass through: PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o711);
  // Windows knows the second.
  for (const name of ["TMPDIR", "TEMP"]) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
