// The door for terminals. It runs when it is loaded, with the words, streams and environment of this process, and sets its exit code.
import { runCommandLine } from "./command-line.ts";
import { endQuietlyOnBrokenPipe, makeTerminal } from "./terminal/terminal.ts";

const { argv, stdout, stderr, env } = process;

endQuietlyOnBrokenPipe([stdout, stderr]);
void runCommandLine(argv.slice(2), { terminal: makeTerminal(stdout, stderr, env), environment: env }).then((code) => {
  process.exitCode = code;
});
