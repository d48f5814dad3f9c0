// A program with the service's address written into it: asks once in each way, and prints the statuses it got.
import http, { get as getByName } from "node:http";
import https, { request as requestByName } from "node:https";

const path = "/v1/me";
const secure = `https://api.example.com${path}`;
const plain = `http://api.example.com:8080${path}`;

const status = (send) =>
  new Promise((resolve, reject) => {
    const sent = send((response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end();
  });

const ways = {
  fetch: async () => (await fetch(secure)).status,
  "fetch of a URL": async () => (await fetch(new URL(secure), { method: "GET" })).status,
  "fetch of a Request": async () =>
    (await fetch(new Request(`https://api.example.com/oauth2/token`, { method: "POST", body: "grant_type=none" })))
      .status,
  "https.request": () => status((answered) => https.request(secure, answered)),
  "https.request with options": () =>
    status((answered) => https.request({ hostname: "api.example.com", path, agent: new https.Agent() }, answered)),
  "request by name": () => status((answered) => requestByName(new URL(secure), { method: "GET" }, answered)),
  "https.get": () => status((answered) => https.get(secure, answered)),
  "http.get by name": () => status((answered) => getByName(plain, answered)),
  "http.request": () => status((answered) => http.request({ host: "api.example.com", port: 8080, path }, answered)),
  "another origin": () => status((answered) => http.get(`${process.env.ELSEWHERE}/`, answered)),
};

const seen = {};
for (const [name, send] of Object.entries(ways)) seen[name] = await send().catch((error) => error.message);
process.stdout.write(JSON.stringify(seen));
