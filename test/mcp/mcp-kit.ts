// Clients of the Model Context Protocol for tests: the official one, over HTTP or on the stdin and stdout of the built command.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export const LIMIT = 4096;

export interface Answered {
  text: string;
  failed: boolean;
}

export interface Connected {
  client: Client;
  /** Answers the text; it is never longer than 4 KB. */
  call(tool: string, args?: Record<string, unknown>): Promise<Answered>;
  /** The id of the world that its tools are about. */
  world(): Promise<string>;
  close(): Promise<void>;
}

async function connect(transport: Transport, end: () => Promise<void>): Promise<Connected> {
  const client = new Client({ name: "tests", version: "1" });
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answered> => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const text = (content as { text: string }[]).map((part) => part.text).join("");
    if (Buffer.byteLength(text) > LIMIT) throw new Error(`${name} answered ${Buffer.byteLength(text)} bytes`);
    return { text, failed: isError === true };
  };
  return {
    client,
    call,
    world: async () => /^World: (\S+)/m.exec((await call("overview")).text)?.[1] ?? "",
    async close() {
      await end();
      await client.close();
    },
  };
}

export function overHttp(url: string, headers: Record<string, string> = {}): Promise<Connected> {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/_sandbox/mcp`), { requestInit: { headers } });
  return connect(transport as Transport, () => transport.terminateSession());
}

/** `words`: the whole command line. */
export function onStdio([command = "", ...args]: readonly string[], cwd: string, message: (text: string) => void) {
  const transport = new StdioClientTransport({ command, args: [...args], cwd, stderr: "pipe" });
  transport.stderr?.on("data", (piece) => message(String(piece)));
  return connect(transport, async () => undefined);
}

/** A page after another, from the cursor that each one names. */
export async function allPages({ call }: Connected, tool: string, args: Record<string, unknown> = {}) {
  const pages = [await call(tool, args)];
  for (;;) {
    const cursor = /\{"cursor":"(.+?)"\}\)\]$/.exec(pages.at(-1)?.text ?? "")?.[1];
    if (cursor === undefined) return pages.map(({ text }) => text);
    pages.push(await call(tool, { cursor }));
  }
}

export async function listWorlds(url: string): Promise<string[]> {
  const { items } = (await (await fetch(`${url}/_sandbox/worlds`)).json()) as { items: { id: string }[] };
  return items.map(({ id }) => id);
}

/** Everything between the marks, page by page, and everything else. */
export function apart(text: string): { foreign: string; ours: string } {
  const marked = /<data [^>]*>\n([\s\S]*?)\n<\/data>/g;
  return { foreign: [...text.matchAll(marked)].map(([, inside]) => inside).join("\n"), ours: text.replace(marked, "") };
}
