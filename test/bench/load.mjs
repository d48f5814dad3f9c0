// Load, from a process of its own (autocannon), and the same load to several servers in turns: what the machine does besides then
// happens to all of them.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { median } from "./servers.mjs";

export async function load(autocannon, { url, connections, seconds, amount, method = "GET", headers = {}, body }) {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const named = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]);
  const sent = text === undefined ? [] : ["-b", text];
  const most = amount === undefined ? ["-d", seconds] : ["-a", amount];
  const settings = ["-c", connections, ...most, "-m", method, "--json", ...named, ...sent, url];
  const args = [autocannon, ...settings.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
  const { requests, latency, duration, errors, statusCodeStats } = JSON.parse(stdout);
  const statuses = Object.keys(statusCodeStats).join(" ");
  const [{ average: rps, total: count }, { p50, p99 }] = [requests, latency];
  return { rps, count, duration, p50, p99, errors, statuses };
}

/** `servers`: name → how it is asked. Answers name → medians. A server that answers what was not `wanted` measures nothing. */
export async function inTurns({ peers, rounds, seconds }, servers, wanted, connections) {
  const found = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, ask] of Object.entries(servers)) {
      const figures = await load(peers.autocannon, { ...ask, connections, seconds });
      // A large heap may be cleared for longer than a round: then there is no answer, which counts as none a second.
      if (!["", String(wanted)].includes(figures.statuses) || figures.errors > 0)
        throw new Error(
          `${name}: ${ask.url} answered ${figures.statuses}, ${figures.errors} errors; ${wanted} is meant`,
        );
      found[name].push(figures);
    }
  }
  const of = (each, member) => [member, median(each.map((figures) => figures[member]))];
  const medians = (each) => Object.fromEntries(["rps", "p50", "p99"].map((member) => of(each, member)));
  return Object.fromEntries(Object.entries(found).map(([name, each]) => [name, medians(each)]));
}
