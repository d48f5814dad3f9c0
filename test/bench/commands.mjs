// How long a user waits for a command beside a running sandbox, and what `exec` adds to a program.
import { execFileSync } from "node:child_process";
import { startSandboxServer } from "./sandboxes.mjs";
import { median } from "./servers.mjs";

const PORT = 4630;

function measureProcess(bench, args) {
  const times = [];
  for (let round = 0; round < bench.starts; round++) {
    const startedAt = performance.now();
    execFileSync(process.execPath, args, { stdio: "ignore" });
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

export async function measureCommands(bench) {
  const sandbox = await startSandboxServer(bench, PORT, "--memory");
  const logs = measureProcess(bench, [bench.bin, "logs", "--url", sandbox.url]);
  await sandbox.stop();
  bench.addRow("`sandbox logs`", { ours: logs, unit: " ms", goals: [{ value: logs, sign: "≤", bound: 350 }] });
  const program = [process.execPath, "-e", ""];
  const added = measureProcess(bench, [bench.bin, "exec", "--", ...program]) - measureProcess(bench, program.slice(1));
  const goals = [{ value: added, sign: "≤", bound: 600 }];
  bench.addRow("what `sandbox exec` adds to a program", { ours: added, unit: " ms", goals });
}
