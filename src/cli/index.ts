// The door for terminals. It runs when it is loaded, with the words, streams and environment of this process, and sets its exit code.
import { runCommandLine } from "./command-line.ts";
import { endWithItsOutput, makeTerminal } from "./terminal/terminal.ts";

const { argv, stdout, stderr, env } = process;

// First, since any output may meet a pipe that is closed.
endWithItsOutput(stdout, stderr);
void runCommandLine(argv.slice(2), { terminal: makeTerminal(stdout, stderr, env), environment: env }).then((code) => {
  // Not exit(): what was written to a pipe may still be on its way.
  process.exitCode = code;
});
