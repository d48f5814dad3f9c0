// Listening, and stopping. The limits keep slow clients from holding a connection; a busy port is one sentence.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Express } from "express";

export interface Serving {
  url: string;
  /** Ends within two seconds: answers in flight are finished, idle connections closed. */
  close(): Promise<void>;
}

const GRACE_MS = 1500;

export class PortFault extends Error {}

export function serve(app: Express, port: number, host: string): Promise<Serving> {
  const server = createServer({ headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 }, app);
  return new Promise((resolve, reject) => {
    server.once("error", (reason: NodeJS.ErrnoException) => reject(new PortFault(worded(reason, port, host))));
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo;
      resolve({ url: `http://${nameOf(host)}:${taken}`, close: () => close(server) });
    });
  });
}

/** An address that a client on this machine can use. */
function nameOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

function worded({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === "EADDRINUSE") return `Port ${port} on ${host} is in use by another process; choose another with --port, or --port 0 for a free one.`;
  if (code === "EACCES") return `Port ${port} needs rights that this process does not have; choose one above 1023 with --port.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${host} is not an address of this machine; choose another with --host.`;
  return `Listening on ${host}:${port} failed: ${message}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
