// Cold starts, in turns: from the start of the process to its first answer, and to the first booking that somebody with a token has
// read; on this line of Node and, in a whole run, on the others. The compiled code and
// the fixture of the day are kept, as after any earlier run of that day.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { CLOCK, tokenOf } from "./sandboxes.mjs";
import { median, start } from "./servers.mjs";

const [OURS, BARE, PRISM] = [4610, 4612, 4613];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A start of ours, up to the first booking read. */
async function ours({ bin }, node, ...more) {
  const args = [bin, "start", "--memory", "--port", OURS, "--json", ...more];
  const server = await start(args, OURS, "/healthz", { node });
  while (!server.said().includes("\n")) await pause(1);
  const announced = JSON.parse(server.said());
  const { access_token } = await tokenOf(announced);
  const headers = { authorization: `Bearer ${access_token}` };
  const answer = await fetch(`${announced.url}/v1/bookings?limit=1`, { headers });
  if (answer.status !== 200) throw new Error(`the first booking is answered ${answer.status}`);
  const read = performance.now() - server.began;
  await pause(100);
  const memory = server.memory();
  await server.stop();
  return { ms: server.ms, read, memory };
}

async function other(args, port, path, node) {
  const server = await start(args, port, path, { node });
  await pause(100);
  const memory = server.memory();
  await server.stop();
  return { ms: server.ms, memory };
}

async function turns({ colds, peers, root, ...bench }, node, withPrism) {
  const found = { ours: [], held: [], express: [], prism: [] };
  await retainedCode(bench, node);
  for (let round = 0; round < colds; round++) {
    found.ours.push(await ours(bench, node));
    found.held.push(await ours(bench, node, "--clock", CLOCK));
    const bare = [join(import.meta.dirname, "bare.cjs"), peers.express, BARE, "{}"];
    found.express.push(await other(bare, BARE, "/healthz", node));
    const mock = [peers.prism, "mock", "-p", PRISM, join(root, "src/contract/generated/openapi.json")];
    if (withPrism && round < 5) found.prism.push(await other(mock, PRISM, "/v1/me", node));
  }
  return (name, member) => (found[name].length > 0 ? median(found[name].map((each) => each[member])) : undefined);
}

/** Two seconds after a start the compiled code is written down, and the fixture as it is on that day. */
async function retainedCode({ bin }, node) {
  const server = await start([bin, "start", "--memory", "--port", OURS, "--json"], OURS, "/healthz", { node });
  await pause(2600);
  await server.stop();
}

export async function cold(bench) {
  const of = await turns(bench, process.execPath, true);
  const figures = (member) => ({
    ours: of("ours", member),
    express: of("express", member),
    prism: of("prism", member),
  });
  const beyond = (name, most) => ["beyond bare Express", of(name, "ms") - of("express", "ms"), "≤", most, " ms"];
  bench.row("cold start to first answer, `start --memory`", {
    ...figures("ms"),
    unit: " ms",
    goals: [beyond("ours", process.versions.node.startsWith("20.") ? 180 : 60)],
  });
  const held = { ours: of("held", "ms"), express: of("express", "ms"), unit: " ms", goals: [] };
  bench.row("the same with `--clock` at the fixture's own day", held);
  bench.row("cold start to first booking read, token and all", { ours: of("ours", "read"), unit: " ms" });
  const memory = figures("memory");
  bench.row("memory after start", { ...memory, unit: " MB" });
  if (bench.quick) return;
  for (const line of ["22", "24", "26"]) await onLine(bench, line);
}

async function onLine(bench, line) {
  const args = ["-y", "-p", `node@${line}`, "node", "-p", "process.execPath"];
  const node = execFileSync("npx", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const of = await turns(bench, node, false);
  const beyond = of("ours", "ms") - of("express", "ms");
  const figures = { ours: of("ours", "ms"), express: of("express", "ms"), unit: " ms" };
  const goals = [["beyond bare Express", beyond, "≤", 60, " ms"]];
  bench.row(`cold start, Node ${line}`, { ...figures, goals });
}
