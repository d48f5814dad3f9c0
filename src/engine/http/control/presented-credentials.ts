// Reads the credentials of a control request: a token, which may have any form, or the cookie of a browser.
import { type Exchange, readHeader } from "../exchange.ts";

type Headers = Exchange["headers"];

export const readSentToken = (headers: Headers): string | undefined =>
  /^bearer +(\S+)$/i.exec(readHeader({ headers }, "authorization")?.trim() ?? "")?.[1];

export function readCookie(headers: Headers, name: string): string | undefined {
  const wanted = `${name}=`;
  const cookies = (readHeader({ headers }, "cookie") ?? "").split(/[;,] */);
  return cookies.find((each) => each.startsWith(wanted))?.slice(wanted.length);
}
