// Reserves a port for the webhook receiver of the program, and checks whether the receiver is listening.
import { connect, createServer } from "node:net";
import { unwrapHost } from "../platform/unbracketed.ts";

/** A receiver that the program did not subscribe itself may still be starting. */
export function isListening(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const defaultPort = protocol === "https:" ? 443 : 80;
  return new Promise((resolve) => {
    const socket = connect({ host: unwrapHost(hostname), port: Number(port || defaultPort) });
    // The connection closes without a request, so that the receiver handles nothing.
    const finish = (does: boolean) => {
      socket.destroy();
      resolve(does);
    };
    socket.once("connect", () => finish(true));
    socket.once("error", () => finish(false));
  });
}

/** Replaces `{port}` in the address by a free port, which the program reads from the variable PORT. */
export async function reserveReceiver(webhookUrl: string | undefined) {
  if (!webhookUrl?.includes("{port}")) return { webhookUrl, variables: {} };
  const port = await findFreePort();
  return { webhookUrl: webhookUrl.replaceAll("{port}", port), variables: { PORT: port } };
}

/** Another process may use the port before the program does. */
function findFreePort(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(String(port)));
    });
  });
}
