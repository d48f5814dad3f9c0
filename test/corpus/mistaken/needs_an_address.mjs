// Prints labels for the gift shop's parcels. A customer without an address is not expected.
import { once } from "node:events";
import { request } from "node:http";

const { env } = process;

async function send(url, method, headers = {}, body = undefined) {
  for (let wait = 200; ; wait *= 2) {
    try {
      const req = request(url, { method, headers, timeout: 6000 }).on("timeout", () => req.destroy(new Error("too slow")));
      req.end(body);
      const [res] = await once(req, "response");
      let text = "";
      for await (const chunk of res.setEncoding("utf8")) text += chunk;
      if (wait > 6000 || (res.statusCode !== 429 && res.statusCode !== 503)) return [res.statusCode, JSON.parse(text)];
      await new Promise((resolve) => setTimeout(resolve, Math.max(wait, 1000 * (res.headers["retry-after"] ?? 0))));
    } catch (lost) {
      if (wait > 6000) throw lost;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

async function login() {
  const form = { grant_type: "client_credentials", audience: env.SANDBOX_URL, scope: "booking.read" };
  const keys = { client_id: env.SANDBOX_CLIENT_ID, client_secret: env.SANDBOX_CLIENT_SECRET };
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const [, { access_token }] = await send(env.SANDBOX_TOKEN_URL, "POST", type, new URLSearchParams({ ...form, ...keys }).toString());
  return { authorization: `Bearer ${access_token}` };
}

let headers = await login();
for (const id of ["bkg-evening", "bkg-rotary", "bkg-wedding"]) {
  let [status, booking] = await send(`${env.SANDBOX_URL}/v1/bookings/${id}`, "GET", headers);
  if (status === 401) {
    headers = await login();
    [status, booking] = await send(`${env.SANDBOX_URL}/v1/bookings/${id}`, "GET", headers);
  }
  if (status !== 200) continue;
  const { name, address } = booking.customer;
  console.log(`${name}\n${address.address_lines.join("\n")}\n${address.zip_code} ${address.city}\n`);
}
