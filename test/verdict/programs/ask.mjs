// What the programs need of `fetch`, over node:http: each program runs in a thread of its own, and loading `fetch` there takes longer than
// all that it asks.
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true });

export function ask(url, { method = "GET", headers = {}, body, signal }) {
  const isForm = body instanceof URLSearchParams;
  const sent = { ...(isForm && { "content-type": "application/x-www-form-urlencoded" }), ...headers };
  return new Promise((resolve, reject) => {
    request(url, { method, headers: sent, signal, agent }, (answer) => resolve(answered(url, answer)))
      .on("error", (lost) => reject(signal?.aborted ? signal.reason : lost))
      .end(isForm ? body.toString() : body);
  });
}

/** As with `fetch`, the answer is there before its body, which may still be lost. */
function answered(url, answer) {
  const body = textOf(answer);
  body.catch(() => {});
  const { statusCode: status, headers } = answer;
  return {
    url,
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => headers[name] ?? null },
    text: () => body,
    json: async () => JSON.parse(await body),
  };
}

async function textOf(answer) {
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) text += piece;
  return text;
}
