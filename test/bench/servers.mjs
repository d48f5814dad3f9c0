// Servers in processes of their own: started, waited for, asked for their memory, stopped.
import { execFileSync, spawn } from "node:child_process";
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

/** In MB, of the process that serves. */
function memoryOf(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
  }
}

/** In milliseconds since its start, on Linux: of the thread that serves and of those that help it. */
function processorTimeOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Bytes that it had the disk take since its start, on Linux. */
const writtenBy = (pid) => Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);

/** Resolves with the server once it answers `path`; `ms` is the time from the process's start to then. */
export async function start(args, port, path, { node = process.execPath, signal = "SIGTERM" } = {}) {
  const began = performance.now();
  const child = spawn(node, args.map(String), { stdio: ["ignore", "pipe", "ignore"] });
  let message = "";
  child.stdout.on("data", (chunk) => {
    // A peer that logs every request must not fill us.
    if (message.length < 10_000) message += chunk;
  });
  process.once("exit", () => child.kill("SIGKILL"));
  while (!(await answered(port, path))) {
    if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended with ${child.exitCode}: ${message}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const ms = performance.now() - began;
  return {
    ms,
    began,
    said: () => message,
    signal: (name) => child.kill(name),
    memory: () => memoryOf(child.pid),
    processorTime: () => processorTimeOf(child.pid),
    written: () => writtenBy(child.pid),
    stop() {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill(signal);
      setTimeout(() => child.kill("SIGKILL"), 5000).unref();
      return ended;
    },
  };
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
