// sandbox mcp: a server of the Model Context Protocol on stdin and stdout, for the sandbox that runs, or else for one of its own.
import { createClient, isReady, readUrl } from "../client.ts";
import { type Call, type Command, clientOptions } from "../command.ts";
import { MAX_WAIT_MS } from "../identify-server.ts";
import { getText, replaceTexts } from "../options.ts";
import { waitForStopSignal } from "../stop-signal.ts";

const [url, world, controlToken] = clientOptions;

export const mcp: Command = {
  name: "mcp",
  summary: "Serve the Model Context Protocol on stdin and stdout.",
  options: [
    { ...url, meaning: "The sandbox that is meant; without it one that runs there, or else one of its own in memory." },
    { ...world, default: undefined, meaning: "Work in this world; default: one of its own, removed at the end." },
    controlToken,
  ] as Command["options"],
  epilogue: [
    "A program that uses a language model starts this command itself, by its settings:",
    "",
    '  { "mcpServers": { "sandbox": {',
    '    "command": "npx", "args": ["--no-install", "sandbox", "mcp"] } } }',
    "",
    "A running sandbox serves the same at /_sandbox/mcp.",
  ].join("\n"),
  run: serveModels,
};

interface Served {
  url: string;
  controlToken: string | undefined;
  close(): Promise<void>;
}

async function serveModels(call: Call): Promise<number> {
  const stopped = waitForStopSignal();
  const served = await sandboxFor(call);
  const { connectStdio } = await import("../../mcp/index.ts");
  if (process.stdin.isTTY)
    call.terminal.say("Waiting for messages on stdin. A program starts this, not a person: see --help.");
  const speaking = await connectStdio({ ...served, world: call.given.text("world") });
  await Promise.race([stopped, speaking.closed]);
  await speaking.close();
  await served.close();
  // Stdin may still be open, and would keep the process.
  process.exit(0);
}

/** A sandbox that is named or recorded must be there; where none is, one of our own will do. */
async function sandboxFor({ given, terminal }: Call): Promise<Served> {
  const isNamed = given.source("url") !== "default";
  const address = readUrl(given.label("url"), getText(given, "url"));
  // Whoever has no sandbox yet gets one: a model can't start a program.
  if (!isNamed && !(await isReady(address, MAX_WAIT_MS))) {
    const { startOwnSandbox } = await import("../own-sandbox.ts");
    const own = await startOwnSandbox({ port: 0, data: undefined });
    terminal.say(`No sandbox answers at ${address}, so one of its own serves at ${own.url}, in memory.`);
    return { url: own.url, controlToken: own.controlToken, close: own.close };
  }
  // A world that is named must exist, too.
  const client = createClient(replaceTexts(given, { world: given.text("world") ?? "default" }));
  await client.ask(client.control.GET("/_sandbox"));
  return { url: client.url, controlToken: client.controlToken, close: async () => undefined };
}
