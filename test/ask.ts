// A request over a connection that is kept, and its answer as tests read it: so plain because tests ask ten thousands of times.
import { Agent, request } from "node:http";

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
  headers: Record<string, string>;
  text: string;
}

const agent = new Agent({ keepAlive: true });

/** A body that is text goes as it is, as a form unless the headers say otherwise; any other goes as JSON. */
export function ask(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<Answered> {
  const type = typeof body === "string" ? "application/x-www-form-urlencoded" : "application/json";
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  const all = body === undefined || hasType ? headers : { ...headers, "content-type": type };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: method.toUpperCase(), agent, headers: all }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("error", reject);
      answer.on("data", (piece) => (text += piece));
      answer.on("end", () => {
        const isJson = text !== "" && /\bjson\b/.test(answer.headers["content-type"] ?? "");
        resolve({
          status: answer.statusCode ?? 0,
          body: isJson ? JSON.parse(text) : {},
          headers: answer.headers as Record<string, string>,
          text,
        });
      });
    });
    sent.on("error", reject);
    sent.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  });
}
