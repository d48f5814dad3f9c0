// The entry point of the command line. It runs on load with the arguments, streams and environment of this process.
import { runCommandLine } from "./command-line.ts";
import { exitWhenOutputFails, makeTerminal } from "./terminal/terminal.ts";

const { argv, stdout, stderr, env } = process;

// Every output may hit a closed pipe, so the handler is installed first.
exitWhenOutputFails(stdout, stderr);
void runCommandLine(argv.slice(2), { terminal: makeTerminal(stdout, stderr, env), environment: env }).then((code) => {
  // exit() would discard output that is still being written to a pipe.
  process.exitCode = code;
});
