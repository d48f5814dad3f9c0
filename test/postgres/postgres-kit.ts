// A real PostgreSQL for tests: a cluster of its own in a folder of its own, from the server that Debian's package installs. Where there is
// none, the tests are skipped, and say so.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";

const PACKAGES = "/usr/lib/postgresql";

function binaries(): string | undefined {
  const named = process.env.SANDBOX_TEST_POSTGRES;
  if (named) return named;
  const versions = existsSync(PACKAGES)
    ? readdirSync(PACKAGES)
        .map(Number)
        .sort((a, b) => b - a)
    : [];
  return versions
    .map((version) => join(PACKAGES, String(version), "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
}

export const postgresBin = binaries();
if (!postgresBin)
  process.stderr.write(
    `\n*** No PostgreSQL here (looked in ${PACKAGES}): the tests of --database are SKIPPED. apt-get install postgresql\n\n`,
  );

/** The server refuses to run as root. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

export interface Postgres {
  /** Of a new, empty database. */
  newDatabase(): Promise<string>;
  /** SIGKILL to every process of the server. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT to every process of the server. */
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startPostgres(): Promise<Postgres> {
  const [bin, as, port] = [postgresBin as string, owner(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), "sandbox-postgres-"));
  if (as) chownSync(folder, as.uid, as.gid);
  const data = join(folder, "data");
  execFileSync(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "sandbox", "--no-sync"], {
    ...as,
    stdio: "ignore",
    cwd: folder,
  });
  const address = (name: string) => `postgres://sandbox@127.0.0.1:${port}/${name}`;
  let server: ReturnType<typeof spawn> | undefined;
  let databases = 0;

  const asked = async (sql: string) => {
    const client = new Client({ connectionString: address("postgres") });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const start = async () => {
    const options = [
      "-D",
      data,
      "-p",
      String(port),
      "-k",
      folder,
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "max_connections=60",
    ];
    server = spawn(join(bin, "postgres"), options, { ...as, stdio: "ignore", cwd: folder, detached: true });
    for (let tries = 0; ; tries++) {
      try {
        return await asked("select 1");
      } catch (reason) {
        if (tries > 600) throw reason;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  /** Each of its processes has a session of its own, so the group of the first is not all of them. */
  const processes = () => {
    const pid = String(server?.pid);
    const listed = spawnSync("ps", ["-o", "pid=", "--ppid", pid], { encoding: "utf8" });
    const children = listed.stdout.split("\n").filter(Boolean);
    return [pid, ...children].map(Number);
  };
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processes()) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended.
      }
    }
  };
  const kill = async () => {
    if (server?.exitCode === null && server.signalCode === null) {
      const ended = new Promise((resolve) => server?.once("exit", resolve));
      signal("SIGKILL");
      await ended;
    }
    rmSync(join(data, "postmaster.pid"), { force: true });
  };
  await start();
  return {
    async newDatabase() {
      const name = `test_${++databases}`;
      await asked(`create database ${name}`);
      return address(name);
    },
    kill,
    start,
    pause: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
