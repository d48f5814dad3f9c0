// Installs what the sandbox is measured with and against into a temporary folder, so that none of it is a dependency.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = join(tmpdir(), "experience-sandbox-bench");
const PACKAGES = ["express@5.3.0", "autocannon@9.0.0"];

export function installPeers() {
  const findModule = (name) => join(folder, "node_modules", name);
  if (!existsSync(findModule("express")) || !existsSync(findModule("autocannon"))) {
    mkdirSync(folder, { recursive: true });
    const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", ...PACKAGES];
    execFileSync("npm", args, { stdio: "ignore" });
  }
  return { express: findModule("express"), autocannon: findModule("autocannon/autocannon.js") };
}
