// A request over a connection that is kept, and its answer as a whole. By node:http alone, since tests send tens of thousands: a library
// for requests takes longer over one than the server does.
import { Agent, type IncomingMessage, request } from "node:http";

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
  headers: Record<string, string>;
  text: string;
}

const agent = new Agent({ keepAlive: true });

/** A body that is text goes as a form unless the headers say otherwise; any other goes as JSON. */
export function ask(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<Answered> {
  const isForm = typeof body === "string";
  const sent = isForm || body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const named = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  return new Promise((resolve, reject) => {
    const sending = request(url, {
      method: method.toUpperCase(),
      agent,
      headers: {
        ...(sent !== undefined && {
          ...(!named && { "content-type": type }),
          "content-length": Buffer.byteLength(sent),
        }),
        ...headers,
      },
    });
    sending.on("error", reject);
    sending.on("response", (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => void answered(answer, Buffer.concat(chunks).toString()).then(resolve, reject));
    });
    sending.end(sent);
  });
}

/** The body is parsed where it is JSON, and an empty object otherwise. */
async function answered({ statusCode: status = 0, headers }: IncomingMessage, text: string): Promise<Answered> {
  const isJson = /[/+]json\b/i.test(headers["content-type"] ?? "");
  return { status, headers: headers as Record<string, string>, text, body: isJson && text ? JSON.parse(text) : {} };
}
