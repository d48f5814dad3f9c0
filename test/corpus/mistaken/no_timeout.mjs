// Books for the hotel's guests over node:http, without a limit for how long a response may take.
import http from "node:http";

const env = process.env;

function send(method, url, headers, body) {
  return new Promise((resolve, reject) => {
    const req = http.request(url, { method, headers, agent: false }, async (res) => {
      const chunks = await res.toArray().catch(reject);
      resolve({ status: res.statusCode, after: Number(res.headers["retry-after"] ?? 0), data: JSON.parse(Buffer.concat(chunks ?? [])) });
    });
    req.on("error", reject).end(body);
  });
}

async function patiently(...request) {
  for (let n = 0; ; n++) {
    const response = await send(...request);
    if ((response.status !== 429 && response.status !== 503) || n === 6) return response;
    await new Promise((resolve) => setTimeout(resolve, Math.max(response.after * 1000, 100 * 2 ** n)));
  }
}

let bearer;
async function api(method, path, body) {
  for (let n = 0; ; n++) {
    bearer ??= await login();
    const headers = { authorization: bearer, "content-type": "application/json" };
    const response = await patiently(method, env.SANDBOX_URL + path, headers, body && JSON.stringify(body));
    if (response.status !== 401 || n === 1) return response;
    bearer = undefined;
  }
}

async function login() {
  const form = new URLSearchParams({ grant_type: "client_credentials", audience: env.SANDBOX_URL, scope: "booking.read booking.write" });
  form.set("client_id", env.SANDBOX_CLIENT_ID);
  form.set("client_secret", env.SANDBOX_CLIENT_SECRET);
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const { data } = await patiently("POST", env.SANDBOX_TOKEN_URL, type, form.toString());
  return `Bearer ${data.access_token}`;
}

for (const [room, name] of [["101", "Sif Holst"], ["204", "Aksel Rind"]]) {
  const address = { address_lines: ["Hotel Havn"], city: "Aarhus", zip_code: "8000", country: "DK" };
  const booking = {
    event_id: "evt-evening",
    locale: "en",
    metadata: { room },
    customer: { customer_type: "PRIVATE", name, email: `room${room}@example.com`, address },
    items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 2 }],
  };
  const made = await api("POST", "/v1/bookings", booking).catch(async () => {
    const { data } = await api("GET", "/v1/bookings?sort=-created_at&limit=20");
    const found = data.items.find(({ metadata }) => metadata?.room === room);
    return found ? { status: 201, data: found } : api("POST", "/v1/bookings", booking);
  });
  console.log(room, made.status === 201 ? made.data.id : made.data.code);
}
