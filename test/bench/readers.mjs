// Readers of the stream that take all that comes, until they leave.
import { once } from "node:events";
import { request } from "node:http";

export async function readersOf(url, count) {
  const open = await Promise.all(Array.from({ length: count }, () => reader(url)));
  return () => Promise.all(open.map((leave) => leave()));
}

const reader = (url) =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/_sandbox/stream?view=full`, { agent: false }, (answer) => {
      answer.on("error", () => undefined).resume();
      resolve(() => {
        const closed = once(sent, "close");
        sent.destroy();
        return closed;
      });
    });
    sent.on("error", reject).end();
  });
