// Load, from a process of its own (autocannon): requests a second, the median and the 99th percentile of the answers' times.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

export async function load(
  autocannon,
  { url, connections, seconds, method = "GET", headers = {}, body, text = body && JSON.stringify(body) },
) {
  const named = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]);
  const sent = text === undefined ? [] : ["-b", text];
  const args = [autocannon, "-c", connections, "-d", seconds, "-m", method, "--json", ...named, ...sent, url].map(
    String,
  );
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
  const { requests, latency, non2xx, errors } = JSON.parse(stdout);
  return { rps: requests.average, p50: latency.p50, p99: latency.p99, wrong: non2xx + errors };
}
