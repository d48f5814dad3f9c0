// sandbox mcp: serves the Model Context Protocol on stdin and stdout, for a running sandbox or for a new one.
import { createClient, isReady, readUrl } from "../client.ts";
import { type Call, type Command, clientOptions } from "../command.ts";
import { MAX_WAIT_MS } from "../find-sandbox.ts";
import { getText, replaceTexts } from "../options.ts";
import { waitForStopSignal } from "../stop-signal.ts";

const [url, world, controlToken] = clientOptions;

export const mcp: Command = {
  name: "mcp",
  summary: "Serve the Model Context Protocol on stdin and stdout.",
  options: [
    { ...url, meaning: "Address of the sandbox; default: a running one, or else a new one in memory." },
    { ...world, default: undefined, meaning: "Use this world; default: a new one that is deleted at the end." },
    controlToken,
  ] as Command["options"],
  epilogue: [
    "A program that uses a language model starts this command. Configure it as follows:",
    "",
    '  { "mcpServers": { "sandbox": {',
    '    "command": "npx", "args": ["--no-install", "sandbox", "mcp"] } } }',
    "",
    "A running sandbox serves the same protocol at /_sandbox/mcp.",
  ].join("\n"),
  run: serveModels,
};

async function serveModels(call: Call): Promise<number> {
  const stopped = waitForStopSignal();
  const served = await openSandbox(call);
  const { connectStdio } = await import("../../mcp/index.ts");
  if (process.stdin.isTTY)
    call.terminal.say("Waiting for messages on stdin. This command is meant for programs; see --help.");
  const speaking = await connectStdio({ ...served, world: call.given.text("world") });
  await Promise.race([stopped, speaking.closed]);
  await speaking.close();
  await served.close();
  // An open stdin would keep the process running.
  process.exit(0);
}

/** Connects to the sandbox that is named or recorded, or starts one in memory. */
async function openSandbox({ given, terminal }: Call) {
  const isNamed = given.source("url") !== "default";
  const address = readUrl(given.label("url"), getText(given, "url"));
  // A sandbox is started if none is running, because a language model can't start one.
  if (!isNamed && !(await isReady(address, MAX_WAIT_MS))) {
    const { startOwnSandbox } = await import("../own-sandbox.ts");
    const own = await startOwnSandbox({ port: 0, data: undefined });
    terminal.say(`No sandbox is running at ${address}. Started one in memory at ${own.url}.`);
    return { url: own.url, controlToken: own.controlToken, close: own.close };
  }
  // The request fails if the named world does not exist.
  const client = createClient(replaceTexts(given, { world: given.text("world") ?? "default" }));
  await client.ask(client.control.GET("/_sandbox"));
  return { url: client.url, controlToken: client.controlToken, close: async () => undefined };
}
