// A real pgbouncer for tests, between nodes and PostgreSQL. Where there is none, the tests are skipped, and say so.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { eventually } from "./node.ts";
import { postgresBin } from "./postgres-kit.ts";

const POSITIONS = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];

export const pgbouncerBin = postgresBin && POSITIONS.find(existsSync);
if (postgresBin && !pgbouncerBin)
  process.stderr.write(
    `\n*** No pgbouncer here (looked for ${POSITIONS.join(", ")}): its tests are SKIPPED. apt-get install pgbouncer\n\n`,
  );

export interface Pgbouncer {
  /** The address of a database, by way of this. */
  through(database: string): string;
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** `connections`: to the server, for all clients together. */
export async function startPgbouncer(server: number, connections: number): Promise<Pgbouncer> {
  const port = await freePort();
  const file = join(makeTempFolder(), "pgbouncer.ini");
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    default_pool_size: connections,
    max_client_conn: 200,
    server_login_retry: 1,
    query_wait_timeout: 10,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `host=127.0.0.1 port=${server} user=sandbox`;
  writeFileSync(file, `[databases]\n* = ${target}\n[pgbouncer]\n${lines.join("\n")}\n`, { mode: 0o644 });
  let child: ChildProcess | undefined;
  const listens = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => resolve(void socket.destroy()));
      socket.on("error", reject);
    });
  const start = async () => {
    // It refuses to run as root, and becomes somebody else by itself.
    const as = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    child = spawn(pgbouncerBin as string, ["-q", ...as, file], { stdio: "ignore", cwd: "/" });
    await eventually(listens, 20_000);
  };
  const kill = async () => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    through: (database) => Object.assign(new URL(database), { port: String(port) }).href,
    kill,
    start,
    close: kill,
  };
}
