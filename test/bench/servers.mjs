// Starts the servers that are measured as processes of their own, and reads their memory.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const isAnswering = (port, path) =>
  new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path, timeout: 1000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(true));
    });
    request.on("error", () => resolve(false));
    request.on("timeout", () => request.destroy());
  });

/** Returns the resident memory of a process in MB (Linux only). */
function readMemory(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

/**
 * Starts a server and waits until it responds to `path`. `ms` is the time from the start of the process to that response.
 */
export async function startServer(args, port, path, { node = process.execPath, signal = "SIGTERM" } = {}) {
  const startedAt = performance.now();
  const child = spawn(node, args.map(String), { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output = (output + chunk).slice(0, 10_000);
  });
  process.once("exit", () => child.kill("SIGKILL"));
  while (!(await isAnswering(port, path))) {
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended with ${child.exitCode}: ${output}`);
    await pause(2);
  }
  return {
    ms: performance.now() - startedAt,
    startedAt,
    readOutput: () => output,
    readMemory: () => readMemory(child.pid),
    stop() {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill(signal);
      return ended;
    },
  };
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
