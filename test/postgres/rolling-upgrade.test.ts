// A rolling upgrade behind HAProxy under load: nodes of two versions side by side, one replaced after another, and the way back. The older
// version is the folder in SANDBOX_TEST_OLDER, where it is checked out and built; without it this version replaces itself. Where nodes
// up to 0.2.0 are among them, a few requests are cut or answered 503 as a node is stopped. HAProxy is held up each time as long as on a
// machine that has too much else to do, so that it looks late whether the node may get requests.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, type Started, startProgram } from "../cli/run-sandbox.ts";
import { extent } from "../extent.ts";
import { freePort } from "../free-port.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { furnished, type HostedWorld, waitAndListBookings } from "./clients.ts";
import { type Answer, ask } from "./cluster.ts";
import { CONTROL, eventually } from "./node.ts";
import { type Postgres, postgresBin, queryRows, startPostgres } from "./postgres-kit.ts";

interface Wrong {
  at: string;
  asked: string;
  world: string;
  status: number;
  body: unknown;
  /** A node was being replaced when it was sent or when it was answered, which a 503 is after up to six seconds. */
  during: boolean;
}

const HAPROXY = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].find(existsSync);
/** From what a client was answered to what it sends next. */
const BETWEEN_MS = extent(40, 40, 10);
/** Half of the time for which a stopping node still serves. */
const LATE_MS = 1500;
const older = process.env.SANDBOX_TEST_OLDER ? join(process.env.SANDBOX_TEST_OLDER, "bin/sandbox.js") : bin;

describe.skipIf(!postgresBin || !HAPROXY)("A rolling upgrade behind HAProxy", () => {
  let postgres: Postgres;
  let database: string;
  let proxy: ChildProcess;
  let front: string;
  const ports: number[] = [];
  const nodes: Started[] = [];
  let replacing = false;
  const folder = makeTempFolder();
  /** A line for each request: its node, status, and why it ended. */
  let log = "";
  const urlOf = (index: number) => `http://127.0.0.1:${ports[index]}`;

  async function started(index: number, program: string): Promise<void> {
    const args = ["start", "--database", database, "--fixture", "empty", "--control-token", CONTROL];
    args.push("--port", String(ports[index]), "--public-url", front);
    nodes[index] = startProgram(process.execPath, [program, ...args]);
    await eventually(async () => expect((await ask(urlOf(index), "/readyz")).status).toBe(200));
  }
  /** HAProxy looks every half second, and has to see a node that is back before the next one goes. */
  async function replaced(index: number, program: string): Promise<void> {
    replacing = true;
    nodes[index]?.child.kill("SIGTERM");
    proxy.kill("SIGSTOP");
    await pause(LATE_MS);
    proxy.kill("SIGCONT");
    expect((await nodes[index]?.ended)?.code).toBe(0);
    await started(index, program);
    await pause(1500);
    replacing = false;
  }
  beforeAll(async () => {
    postgres = await startPostgres();
    database = await postgres.newDatabase();
    for (let index = 0; index < 3; index++) ports.push(await freePort());
    const LISTEN = `127.0.0.1:${await freePort()}`;
    front = `http://${LISTEN}`;
    await Promise.all([0, 1, 2].map((position) => started(position, older)));
    const [NODE_A, NODE_B, NODE_C] = ports.map((port) => `127.0.0.1:${port}`) as [string, string, string];
    const env = { LISTEN, NODE_A, NODE_B, NODE_C };
    proxy = spawn(HAPROXY as string, ["-f", logging(), "-db"], { env, stdio: ["ignore", "pipe", "ignore"] });
    proxy.stdout?.on("data", (piece) => (log += piece));
    await eventually(async () => expect((await ask(front, "/readyz")).status).toBe(200));
  });
  afterAll(async () => {
    proxy?.kill();
    for (const node of nodes) node.child.kill("SIGKILL");
    await postgres?.close();
  });
  function logging(): string {
    const file = join(folder, "haproxy.cfg");
    const text = readFileSync("docs/hosted/haproxy.cfg", "utf8")
      .replace(/^global\n/m, "$&    log stdout format raw local0\n")
      .replace(/^defaults\n/m, '$&    log global\n    log-format "%t %s %ST %ts %HM %HU"\n');
    writeFileSync(file, text);
    return file;
  }
  /** Those which HAProxy has cut because a node did not answer for so long that it took it for gone: the machine is too busy. */
  const cut = () => log.match(/^\d\S* \S+ \S+ D.*$/gm) ?? [];

  /** What was answered otherwise than it should be. */
  async function load(world: HostedWorld, go: () => boolean): Promise<{ made: string[]; wrong: Wrong[] }> {
    const [made, wrong]: [string[], Wrong[]] = [[], []];
    let began = replacing;
    const isWrong = (requested: string, { status, body }: Answer) =>
      wrong.push({
        at: new Date().toISOString(),
        asked: requested,
        world: world.id,
        status,
        body,
        during: began || replacing,
      });
    while (go()) {
      began = replacing;
      const booked = await world.book(front);
      if (booked.status === 201) made.push(booked.body.id);
      else isWrong("book", booked);
      const [last] = made.slice(-1);
      began = replacing;
      const read = last && (await world.get(front, `/v1/bookings/${last}`));
      if (read && read.status !== 200) isWrong("get", read);
      await pause(BETWEEN_MS);
    }
    return { made, wrong };
  }
  /** As docs/hosted says, for 0.2.0: it does not start while the database has a step that it does not know. */
  async function takeOutStep(): Promise<void> {
    expect(await queryRows(database, "delete from migrations where id > 2 returning id")).toHaveLength(1);
  }
  /** Each world through each node, whichever version it has and wherever the world lives. */
  async function allAnswer(worlds: readonly HostedWorld[]): Promise<void> {
    for (const world of worlds)
      for (const index of [0, 1, 2])
        expect([index, (await world.get(urlOf(index), "/v1/bookings?limit=1")).status]).toEqual([index, 200]);
  }

  it("and its rollback fail no request, also with slow health checks, and lose nothing", {
    timeout: 240_000,
  }, async () => {
    const worlds = await Promise.all(Array.from({ length: 9 }, () => furnished(front, 1_000_000)));
    let going = true;
    const loads = worlds.map((world) => load(world, () => going));
    await pause(500);
    for (const index of [0, 1, 2]) {
      await replaced(index, bin);
      await allAnswer(worlds);
    }
    await takeOutStep();
    for (const index of [2, 0]) {
      await replaced(index, older);
      await allAnswer(worlds);
    }
    going = false;
    const found = await Promise.all(loads);
    const wrong = found.flatMap((each) => each.wrong);
    const unusual = () => log.match(/^\S+ \S+ (?:(?!20[01] --).)*$/gm);
    if (older === bin)
      expect(wrong.length, JSON.stringify({ wrong, unusual: unusual() }, null, 1)).toBeLessThanOrEqual(cut().length);
    expect(wrong.filter(({ status, during }) => (status !== 503 && status !== 0) || !during)).toEqual([]);
    for (const [index, world] of worlds.entries()) {
      const retained = new Set((await waitAndListBookings(world, front)).map(({ id }) => id));
      expect(found[index]?.made.filter((id) => !retained.has(id))).toEqual([]);
    }
    const made = found.flatMap((each) => each.made).length;
    expect(made).toBeGreaterThan(50);
    process.stderr.write(`${made} bookings over five replacements, and ${wrong.length} requests that failed\n`);
  });
});
