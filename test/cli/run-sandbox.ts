// Runs the built command line as people do: bin/sandbox.js in a process of its own, in a folder of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { makeTempFolder } from "../temp-folder.ts";

export const bin = fileURLToPath(new URL("../../bin/sandbox.js", import.meta.url));
export const folder = makeTempFolder();
const started = new Set<ChildProcess>();

// Before the folders of tests are removed.
process.prependListener("exit", () => {
  for (const child of started) child.kill("SIGKILL");
});

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  /** Resolves when stdout or stderr shows this. */
  shows(words: string | RegExp): Promise<string>;
  ended: Promise<Run>;
  /** Sends the signal (default: SIGTERM), and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Run>;
}

type Environment = Record<string, string>;

/** What surrounds the tests must not steer the commands under test. */
function clean(): Environment {
  const entries = Object.entries(process.env).filter(
    ([name]) => !/^(SANDBOX_|FORCE_COLOR|NO_COLOR|NODE_OPTIONS)/.test(name),
  );
  return Object.fromEntries(entries) as Environment;
}

export function startProgram(
  program: string,
  args: readonly string[],
  environment: Environment = {},
  cwd = folder,
): Started {
  const child = spawn(program, args, {
    cwd,
    env: { ...clean(), XDG_CONFIG_HOME: folder, APPDATA: folder, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  const run: Run = { code: null, stdout: "", stderr: "" };
  const ended = new Promise<Run>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      started.delete(child);
      resolve({ ...run, code });
    });
  });
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (piece) => (run[name] += piece));
  const shows = (words: string | RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const text = run.stdout + run.stderr;
        if (typeof words === "string" ? text.includes(words) : words.test(text)) resolve(text);
      };
      for (const name of ["stdout", "stderr"] as const) child[name].on("data", look);
      child.on("close", () => reject(new Error(`It ended without ${words}: ${run.stdout}${run.stderr}`)));
      look();
    });
  const stop = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  return { child, shows, ended, stop };
}

export const startSandboxCommand = (args: readonly string[], environment?: Environment, cwd?: string): Started =>
  startProgram(process.execPath, [bin, ...args], environment, cwd);

export const run = (args: readonly string[], environment?: Environment, cwd?: string): Promise<Run> =>
  startSandboxCommand(args, environment, cwd).ended;

export const shell = (script: string, environment?: Environment): Promise<Run> =>
  startProgram("sh", ["-c", `sandbox() { "${process.execPath}" "${bin}" "$@"; }; ${script}`], environment).ended;
