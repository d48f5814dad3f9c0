// What the sandbox is measured against, and with: installed into a temporary folder, so that nothing of it is a dependency.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = join(tmpdir(), "experience-sandbox-bench");
const WANTED = ["express@5.3.0", "autocannon@9.0.0", "@stoplight/prism-cli@5.14.2"];

export function peers() {
  if (!existsSync(join(folder, "node_modules/@stoplight/prism-cli"))) {
    mkdirSync(folder, { recursive: true });
    execFileSync("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", ...WANTED], { stdio: "ignore" });
  }
  const module = (name) => join(folder, "node_modules", name);
  return {
    express: module("express"),
    autocannon: module("autocannon/autocannon.js"),
    prism: module("@stoplight/prism-cli/dist/index.js"),
  };
}
