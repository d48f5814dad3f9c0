// Starts sandboxes with a token and with one event that never fills.
import { setTimeout as pause } from "node:timers/promises";
import { startServer } from "./servers.mjs";

export const CLOCK = "2030-06-01T09:00:00Z";
export const JSON_TYPE = { "content-type": "application/json" };
export const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

export const bookingInput = {
  event_id: "evt-big",
  locale: "da",
  customer: {
    customer_type: "PRIVATE",
    name: "Anna Holm",
    email: "anna@example.com",
    address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
  },
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 2 }],
};

const bigEvent = {
  id: "evt-big",
  experience_id: "exp-canal",
  capacity: 1_000_000,
  sessions: [{ start_time: "2030-09-01T10:00:00", end_time: "2030-09-01T11:00:00" }],
};

export const toTokenForm = ({ url, client_id, client_secret }) =>
  new URLSearchParams({ grant_type: "client_credentials", audience: url, client_id, client_secret }).toString();

export async function requestToken(connection) {
  const response = await fetch(`${connection.url}/oauth2/token`, {
    method: "POST",
    headers: FORM_TYPE,
    body: toTokenForm(connection),
  });
  return response.json();
}

/** Reads the first line that `start --json` prints. */
export async function readConnection(server) {
  while (!server.readOutput().includes("\n")) await pause(1);
  return JSON.parse(server.readOutput().split("\n")[0]);
}

/** Starts a sandbox with `start --json` and these options, and gives it the event and a token. */
export async function startSandboxServer({ bin }, port, ...options) {
  const args = [bin, "start", "--port", port, "--clock", CLOCK, "--json", ...options];
  const server = await startServer(args, port, "/healthz");
  const connection = await readConnection(server);
  const { url } = connection;
  const control = async (method, path, body) => {
    const response = await fetch(`${url}/_sandbox${path}`, { method, headers: JSON_TYPE, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  };
  await control("POST", "/acts/createEvent", bigEvent);
  const token = await requestToken(connection);
  const headers = { authorization: `Bearer ${token.access_token}` };
  const read = async (path) => (await fetch(url + path, { headers })).json();
  return { ...server, connection, url, control, token, headers, read };
}
