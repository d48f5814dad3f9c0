// Programs that tests certify: one that lists events, one that reads the journal, and what prints its books.
export const KIOSK = `import { request } from "node:http";
const { SANDBOX_URL, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET } = process.env;
const ask = (url, headers, body) => new Promise((resolve, reject) => {
  request(url, { method: body ? "POST" : "GET", headers, agent: false }, async (answer) => {
    resolve(JSON.parse(Buffer.concat(await answer.toArray())));
  }).on("error", reject).end(body);
});
const form = { grant_type: "client_credentials", audience: SANDBOX_URL, scope: "event.read" };
const keys = { client_id: SANDBOX_CLIENT_ID, client_secret: SANDBOX_CLIENT_SECRET };
const type = { "content-type": "application/x-www-form-urlencoded" };
const { access_token } = await ask(SANDBOX_TOKEN_URL, type, String(new URLSearchParams({ ...form, ...keys })));
const headers = { authorization: "Bearer " + access_token, "accept-language": "da" };
await ask(SANDBOX_URL + "/v1/events?limit=2", headers);
`;

/** Books each entry of the journal as it is, or with another account. */
export const BOOKS = `import { readFileSync } from "node:fs";
const entries = JSON.parse(readFileSync(process.env.SANDBOX_RUN_FOLDER + "/entries.json", "utf8"));
for (const { id, postings } of entries)
  for (const { type, direction, amount: { value, currency, exponent } } of postings) {
    const amount = (direction === "CREDIT" ? -value : value) / 10 ** exponent;
    console.log(JSON.stringify({ entry: id, account: process.argv[2] ?? type, amount: amount.toFixed(exponent), currency }));
  }
`;
export const CLERK = KIOSK.replace("event.read", "accounting.read").replace(
  /await ask\(SANDBOX_URL \+ .*\n/,
  `const entries = [];
let cursor = "";
do {
  const page = await ask(SANDBOX_URL + "/v1/accounting-journal-entries?limit=100" + (cursor && "&cursor=" + encodeURIComponent(cursor)), headers);
  entries.push(...page.items);
  cursor = page.next ?? "";
} while (cursor);
const folder = process.env.SANDBOX_RUN_FOLDER;
if (folder) (await import("node:fs")).writeFileSync(folder + "/entries.json", JSON.stringify(entries));
`,
);
