// Runs a command line in this process, as a program would be answered: no terminal, no colours.
import { runCommandLine } from "../../src/cli/command-line.ts";
import { makeTerminal } from "../../src/cli/terminal/terminal.ts";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export async function runHere(words: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
  const written = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    write(text: string | Uint8Array) {
      written[name] += text;
      return true;
    },
    isTTY: false,
    columns: 80,
  });
  const terminal = makeTerminal(stream("stdout"), stream("stderr"), environment);
  const code = await runCommandLine(words, { terminal, environment });
  return { code, ...written };
}
