// Sandboxes to be measured: with one event that never fills, a token, and the answers that a bare server is to give as well.
import { start } from "./servers.mjs";

export const CLOCK = "2030-06-01T09:00:00Z";
export const JSON_TYPE = { "content-type": "application/json" };
export const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

export const input = {
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

/** One that never fills. */
export const bigEvent = {
  id: "evt-big",
  experience_id: "exp-canal",
  capacity: 1_000_000,
  sessions: [{ start_time: "2030-09-01T10:00:00", end_time: "2030-09-01T11:00:00" }],
};

/** The token request of an announced sandbox, as a form. */
export const formOf = ({ url, client_id, client_secret }) =>
  new URLSearchParams({ grant_type: "client_credentials", audience: url, client_id, client_secret }).toString();

export async function tokenOf(announced) {
  const answer = await fetch(`${announced.url}/oauth2/token`, {
    method: "POST",
    headers: FORM_TYPE,
    body: formOf(announced),
  });
  return answer.json();
}

/** Starts one with these arguments (a script first) and furnishes it; `sent` are headers of the control surface. */
export async function furnished(args, port, sent = {}) {
  const server = await start(args, port, "/healthz");
  while (!server.said().includes("\n")) await new Promise((resolve) => setTimeout(resolve, 5));
  const announced = JSON.parse(server.said().split("\n")[0]);
  const { url } = announced;
  const control = async (method, path, body) => {
    const answer = await fetch(`${url}/_sandbox${path}`, {
      method,
      headers: { ...JSON_TYPE, ...sent },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  await control("POST", "/acts/createEvent", bigEvent);
  const token = await tokenOf(announced);
  const headers = { authorization: `Bearer ${token.access_token}` };
  const read = async (path) => (await fetch(url + path, { headers })).json();
  return { ...server, announced, url, control, token, headers, read };
}
