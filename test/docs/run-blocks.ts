// Runs the shell blocks of one document in order, as a reader who pastes them would, in a folder that has the package installed. What
// serves or watches goes to the background; a second start ends the first. Addresses of the documents become free ports.
import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { makeTempFolder } from "../temp-folder.ts";

export interface Ran {
  code: number;
  output: string;
}

const PRELUDE = `
set -eo pipefail
sandbox() {
  case "$1 $2" in
    start*) if [ -n "$SERVER" ]; then kill $SERVER; wait $SERVER || true; fi
            "$NODE" "$BIN" "$@" & SERVER=$!; BACKGROUND="$BACKGROUND $SERVER"; SANDBOX_URL="$HERE" "$NODE" "$BIN" wait --timeout 60 ;;
    listen*|"logs --follow"*) SANDBOX_URL="$HERE" "$NODE" "$BIN" "$@" & BACKGROUND="$BACKGROUND $!" ;;
    exec*) env -u SANDBOX_PORT "$NODE" "$BIN" "$@" ;;
    play*|shrink*) "$NODE" "$BIN" "$@" ;;
    *) SANDBOX_URL="$HERE" "$NODE" "$BIN" "$@" ;;
  esac
}
node() { case "$1" in receiver.mjs) "$NODE" "$@" & BACKGROUND="$BACKGROUND $!" ;; *) "$NODE" "$@" ;; esac; }
npx() { [ "$1" = --no-install ] && shift; case "$1" in sandbox) shift; sandbox "$@" ;; *) command npx "$@" ;; esac; }
trap 'kill $BACKGROUND $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true' EXIT
`;

export async function runBlocks(blocks: readonly string[], files: Record<string, string> = {}): Promise<Ran> {
  const folder = makeTempFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(process.cwd(), join(folder, "node_modules", "experience-sandbox"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const [port, receiver] = [await freePort(), await freePort()];
  const script = blocks.join("\n").replaceAll("127.0.0.1:4010", `127.0.0.1:${port}`);
  return await run(PRELUDE + script.replaceAll("127.0.0.1:3000", `127.0.0.1:${receiver}`), folder, {
    NODE: process.execPath,
    BIN: join(process.cwd(), "bin/sandbox.js"),
    SANDBOX_PORT: String(port),
    HERE: `http://127.0.0.1:${port}`,
    PORT: String(receiver),
    NO_COLOR: "1",
  });
}

function run(script: string, cwd: string, environment: Record<string, string>): Promise<Ran> {
  return new Promise((resolve) => {
    const { NODE_OPTIONS: _, VITEST: __, ...rest } = process.env;
    const shell = spawn("bash", ["-c", script], {
      cwd,
      env: { ...rest, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [shell.stdout, shell.stderr]) stream.on("data", (chunk) => (output += chunk));
    shell.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
