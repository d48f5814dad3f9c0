// A receiver of webhooks in the process of the bench: it takes every delivery, or is stopped and refuses each connection.
import { once } from "node:events";
import { createServer } from "node:http";

export async function receiver() {
  const server = createServer((requested, answer) => requested.resume().on("end", () => answer.writeHead(204).end()));
  const listen = async (port) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return server.address().port;
  };
  const port = await listen(0);
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/`, start: () => listen(port), stop };
}
