// Four processes work off one folder of orders. They share the token in a file, and claim an order by renaming it:
// only one process succeeds.
const { fork } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");

const folder = process.env.SANDBOX_RUN_FOLDER;
const file = (name) => path.join(folder, name);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function send(url, method, headers, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, timeout: 6000 }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    request.on("timeout", () => request.destroy(new Error("timeout")));
    request.on("error", reject);
    request.end(body);
  });
}

async function sendPatiently(isSafe, ...request) {
  for (let attempt = 1; attempt < 7; attempt++) {
    const response = await send(...request).catch((error) => {
      if (!isSafe) throw error;
    });
    if (response && response.status !== 429 && response.status !== 503) return response;
    await pause(Math.max(Number(response?.headers["retry-after"] ?? 0) * 1000, 100 * 2 ** attempt));
  }
  throw new Error("still busy");
}

async function renewToken(old) {
  const known = fs.existsSync(file("token")) ? fs.readFileSync(file("token"), "utf8") : undefined;
  if (known && known !== old) return known;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    audience: process.env.SANDBOX_URL,
    client_id: process.env.SANDBOX_CLIENT_ID,
    client_secret: process.env.SANDBOX_CLIENT_SECRET,
    scope: "booking.read booking.write",
  });
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const { text } = await sendPatiently(true, process.env.SANDBOX_TOKEN_URL, "POST", type, form.toString());
  const token = JSON.parse(text).access_token;
  fs.writeFileSync(file(`token.${process.pid}`), token);
  fs.renameSync(file(`token.${process.pid}`), file("token"));
  return token;
}

async function call(method, url, body) {
  for (let token, attempt = 0; ; attempt++) {
    token = await renewToken(attempt > 0 ? token : undefined);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await sendPatiently(method === "GET", process.env.SANDBOX_URL + url, method, headers, body);
    if (response.status !== 401 || attempt === 2) return response;
  }
}

async function book(order) {
  const address = { address_lines: ["Strandvejen 9"], city: "Helsingør", zip_code: "3000", country: "DK" };
  const body = JSON.stringify({
    event_id: "evt-tomorrow-evening",
    locale: "da",
    metadata: { order },
    customer: { customer_type: "PRIVATE", name: `Guest of ${order}`, email: `${order}@example.com`, address },
    items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
  });
  return call("POST", "/v1/bookings", body).catch(async () => {
    const { text } = await call("GET", "/v1/bookings?sort=-created_at&limit=60");
    const found = JSON.parse(text).items.find(({ metadata }) => metadata?.order === order);
    return found ? { status: 201 } : call("POST", "/v1/bookings", body);
  });
}

async function work() {
  for (const name of fs.readdirSync(folder).filter((each) => each.endsWith(".order"))) {
    try {
      fs.renameSync(file(name), file(`${name}.claimed`));
    } catch {
      continue; // Another process has it.
    }
    const { status } = await book(name.replace(".order", ""));
    fs.renameSync(file(`${name}.claimed`), file(`${name}.${status === 201 ? "booked" : "rejected"}`));
  }
}

if (process.send) {
  work().then(() => process.disconnect());
} else {
  for (const name of ["o-1", "o-2", "o-3", "o-4"]) fs.writeFileSync(file(`${name}.order`), "");
  renewToken().then(() => {
    for (let count = 0; count < 4; count++) {
      fork(__filename).on("exit", (code) => {
        if (code !== 0) process.exitCode = 1;
      });
    }
  });
}
