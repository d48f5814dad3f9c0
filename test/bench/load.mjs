// Sends load from a process of its own (autocannon), to several servers in turns, so that other work on the machine affects all of them.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { median } from "./servers.mjs";

export async function sendLoad(autocannon, { url, connections, seconds, method = "GET", headers = {}, body }) {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]);
  const bodyArgs = text === undefined ? [] : ["-b", text];
  const args = ["-c", connections, "-d", seconds, "-m", method, "--json", ...headerArgs, ...bodyArgs, url];
  const { stdout } = await promisify(execFile)(process.execPath, [autocannon, ...args.map(String)]);
  const { requests, latency, errors, statusCodeStats } = JSON.parse(stdout);
  return { rps: requests.average, p99: latency.p99, errors, statuses: Object.keys(statusCodeStats).join(" ") };
}

/** Sends the requests of `servers` (name → request) and returns medians by name. Another status than `expected` fails the run. */
export async function measureInTurns({ peers, rounds, seconds }, servers, expected, connections) {
  const figures = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, request] of Object.entries(servers)) {
      const result = await sendLoad(peers.autocannon, { ...request, connections, seconds });
      if (result.statuses !== String(expected) || result.errors > 0)
        throw new Error(`${name}: ${request.url} responded ${result.statuses} with ${result.errors} errors`);
      figures[name].push(result);
    }
  }
  const toMedian = (results, member) => median(results.map((result) => result[member]));
  return Object.fromEntries(
    Object.entries(figures).map(([name, results]) => [
      name,
      { rps: toMedian(results, "rps"), p99: toMedian(results, "p99") },
    ]),
  );
}
