// A real PostgreSQL for tests: a cluster of its own in a folder of its own, from the server that Debian's package installs. Where there is
// none, the tests are skipped, and say so.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "../free-port.ts";

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
  port: number;
  /** Of a new, empty database. */
  newDatabase(): Promise<string>;
  /** One statement, as the owner of everything. */
  asked(sql: string): Promise<unknown>;
  /** SIGKILL to every process of the server. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT to every process of the server. */
  pause(): void;
  resume(): void;
  /** A second server that follows this one; commits wait for it when it is synchronous. */
  standby(isSynchronous: boolean): Promise<Postgres & { promote(): Promise<void> }>;
  close(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const folder = newFolder();
  const data = join(folder, "data");
  empty ??= made(newFolder());
  execFileSync("cp", ["-R", empty, data], { ...as });
  return serverOf(folder, data);
}

/** For the tests of a `describe`: a server from before the first test to after the last. */
export function postgresOfTests(): Postgres {
  const here = {} as Postgres;
  beforeAll(async () => {
    Object.assign(here, await startPostgres());
  });
  afterAll(() => here.close?.());
  return here;
}

/** The cluster of this worker that is copied: to make one takes four times as long. */
let empty: string | undefined;

function made(folder: string): string {
  const data = join(folder, "data");
  runs("initdb", ["-D", data, "-A", "trust", "-U", "sandbox", "--no-sync"], folder);
  return data;
}

const as = postgresBin ? owner() : undefined;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-postgres-"));
  if (as) chownSync(folder, as.uid, as.gid);
  return folder;
}

const runs = (program: string, args: readonly string[], cwd: string) =>
  execFileSync(join(postgresBin as string, program), args, { ...as, stdio: "ignore", cwd });

/** The rows of one statement on a connection of its own. */
export async function queryRows<R>(database: string, sql: string, values: unknown[] = []): Promise<R[]> {
  const client = new Client({ connectionString: database });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as R[];
  } finally {
    await client.end();
  }
}

async function serverOf(folder: string, data: string): Promise<Postgres> {
  const port = await freePort();
  const address = (name: string) => `postgres://sandbox@127.0.0.1:${port}/${name}`;
  let server: ChildProcess | undefined;
  let databases = 0;

  const requested = (sql: string) => queryRows<Record<string, unknown>>(address("postgres"), sql);
  const start = async () => {
    const settings = ["listen_addresses=127.0.0.1", "max_connections=80"].flatMap((each) => ["-c", each]);
    const args = ["-D", data, "-p", String(port), "-k", folder, ...settings];
    server = spawn(join(postgresBin as string, "postgres"), args, {
      ...as,
      stdio: "ignore",
      cwd: folder,
      detached: true,
    });
    for (let tries = 0; ; tries++) {
      try {
        return void (await requested("select 1"));
      } catch (reason) {
        if (tries > 600) throw reason;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const kill = async () => {
    if (server?.exitCode === null && server.signalCode === null) {
      const ended = new Promise((resolve) => server?.once("exit", resolve));
      signalAll(server, "SIGKILL");
      await ended;
    }
    rmSync(join(data, "postmaster.pid"), { force: true });
  };
  await start();
  return {
    port,
    asked: requested,
    async newDatabase() {
      const name = `test_${++databases}`;
      await requested(`create database ${name}`);
      return address(name);
    },
    kill,
    start,
    pause: () => signalAll(server, "SIGSTOP"),
    resume: () => signalAll(server, "SIGCONT"),
    async standby(isSynchronous) {
      const behind = newFolder();
      const source = `host=127.0.0.1 port=${port} user=sandbox application_name=behind`;
      runs("pg_basebackup", ["-d", source, "-D", join(behind, "data"), "-R", "-X", "stream", "-c", "fast"], behind);
      const follower = await serverOf(behind, join(behind, "data"));
      if (isSynchronous) {
        await requested("alter system set synchronous_standby_names = 'behind'");
        await requested("select pg_reload_conf()");
      }
      return { ...follower, promote: async () => void (await follower.asked("select pg_promote()")) };
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Each of its processes has a session of its own, so the group of the first is not all of them. */
function signalAll(server: ChildProcess | undefined, name: NodeJS.Signals): void {
  const pid = String(server?.pid);
  const children = spawnSync("ps", ["-o", "pid=", "--ppid", pid], { encoding: "utf8" })
    .stdout.split("\n")
    .filter(Boolean);
  for (const each of [pid, ...children]) {
    try {
      process.kill(Number(each), name);
    } catch {
      // It has ended.
    }
  }
}
