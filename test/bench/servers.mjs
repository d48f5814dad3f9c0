// Servers in processes of their own: started, waited for, asked for their memory, stopped.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { get } from "node:http";

const answered = (port, path) =>
  new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path, timeout: 1000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(true));
    });
    request.on("error", () => resolve(false));
    request.on("timeout", () => request.destroy());
  });

/** Resolves with the server once it answers `path`; `ms` is the time from the process's start to then. */
export async function start(args, port, path, env = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  while (!(await answered(port, path))) {
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended with ${child.exitCode}: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const ms = performance.now() - began;
  return {
    ms,
    said: () => said,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024,
    stop() {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 3000).unref();
      return ended;
    },
  };
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
