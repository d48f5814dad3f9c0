// What a request to the control API shows of who sends it: a token, which may have any form, or the cookie of a browser.
import { type Exchange, header } from "../exchange.ts";

type Headers = Exchange["headers"];

export const presentedToken = (headers: Headers): string | undefined =>
  /^bearer +(\S+)$/i.exec(header({ headers }, "authorization")?.trim() ?? "")?.[1];

export function presentedCookie(headers: Headers, name: string): string | undefined {
  const wanted = `${name}=`;
  const cookies = (header({ headers }, "cookie") ?? "").split(/[;,] */);
  return cookies.find((each) => each.startsWith(wanted))?.slice(wanted.length);
}
