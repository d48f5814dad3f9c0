// Runs the programs of test/verdict/programs/ as a verdict does, each in a thread with an environment of its own, and says what each check
// finds in them.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createLauncher } from "../../src/cli/launch.ts";
import { startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { toEnvironment } from "../../src/cli/terminal/connection-info.ts";
import type { Server } from "../../src/client/control.ts";
import {
  type Check,
  type Connection,
  checks,
  judge,
  type Launch,
  type Result,
  type Verdict,
} from "../../src/verdict/index.ts";
import type { Profile } from "../../src/verdict/profiles/index.ts";

export const programs = fileURLToPath(new URL("programs/", import.meta.url));
export const careful = join(programs, "careful", "shop.mjs");
/** The careful program with the habit that HABIT names. */
export const odd = join(programs, "odd-shop.mjs");
export const oddHabits: readonly string[] = Object.keys((await import(odd)).odd);
const everyCareless = readdirSync(join(programs, "careless")).map((name) => join(programs, "careless", name));
export const careless = everyCareless.filter((path) => path.endsWith(".mjs"));
/** Receivers in PHP, which another program has to subscribe. */
export const carelessElsewhere = everyCareless.filter((path) => !path.endsWith(".mjs"));
/** The check that a careless program is careless in. */
export const meantBy = (program: string): string =>
  basename(program)
    .replace(/\.\w+$/, "")
    .toUpperCase();

/** By the key of its world. */
const states = new Map<string, unknown>();

/** In a thread: a process would take a second on a busy machine. */
export function inThread(program: string, given: Readonly<Record<string, string>> = {}): Launch {
  return (connection, more) => {
    const env = { ...toEnvironment(connection), ...more, ...given, NO_COLOR: "1" };
    const worker = new Worker(program, { env, stdout: true, stderr: true });
    let output = "";
    for (const stream of [worker.stdout, worker.stderr]) stream.on("data", (piece) => (output += piece));
    worker.on("error", (error) => (output += `${error.stack}\n`));
    const ended = new Promise<{ code: number; output: string }>((resolve) => {
      worker.on("exit", (code) => {
        const state = /^STATE (.*)$/m.exec(output)?.[1];
        if (state) states.set(connection.client_id, JSON.parse(state));
        resolve({ code, output });
      });
    });
    return { ended, stop: () => void worker.terminate() };
  };
}

const probe = async ({ client_id }: Connection): Promise<unknown> => states.get(client_id) ?? null;

const PHP_TEST = ["-r", "exit((int) !(extension_loaded('curl') && extension_loaded('pcntl')));"];

export const isPhpMissing = spawnSync("php", PHP_TEST).status !== 0;

function createLaunch(program: string): Launch {
  return program.endsWith(".php") ? createLauncher(["php", program], process.env) : inThread(program);
}

export interface Judging {
  only?: readonly Check[];
  profile?: Profile | undefined;
  webhookUrl?: string | undefined;
  /** A running sandbox. */
  server?: Server;
  jobs?: number;
  launch?: Launch;
  limitMs?: number;
  /** The program prints no state of its own. */
  isSilent?: boolean;
  /** What it prints otherwise than the programs here do. */
  says?: typeof probe;
}

export const judged = (
  program: string,
  {
    only = checks,
    profile,
    webhookUrl,
    server,
    jobs = 4,
    launch = createLaunch(program),
    limitMs = 60_000,
    isSilent = false,
    says = probe,
  }: Judging = {},
): Promise<Verdict> =>
  judge({
    command: ["node", basename(program)],
    checks: only,
    profile,
    seed: "7",
    launch,
    probe: isSilent ? undefined : says,
    jobs,
    webhookUrl,
    server,
    start: (options) => startOwnSandbox({ clock: "anchor", ...options }),
    limitMs,
  });

/** What speaks against a program. */
export const findingsIn = ({ results, no_verdict }: Verdict): Result[] => {
  if (no_verdict) throw new Error(`${no_verdict.code}: ${no_verdict.says}\n${no_verdict.output ?? ""}`);
  return results.filter(({ outcome }) => outcome !== "pass" && outcome !== "not-exercised");
};

/** That all codes are treated alike may be meant, so no more is said than that. */
const NOT_DECIDED = ["BOOK-02"];
/** What only the log shows is bad practice. */
const WITHOUT_HARM = [
  "AUTH-04",
  "BOOK-01",
  "BOOK-04",
  "BOOK-05",
  "HOOK-01",
  "LANG-01",
  "PAGE-01",
  "RETRY-03",
  "RETRY-04",
  "TIME-01",
];

/** What a check says of the careless program that it is about. */
export function getExpectedOutcome(id: string): Result["outcome"] {
  if (NOT_DECIDED.includes(id)) return "undecided";
  const isRequired = checks.some((check) => check.id === id && check.level === "must");
  return isRequired && !WITHOUT_HARM.includes(id) ? "fail" : "warn";
}
