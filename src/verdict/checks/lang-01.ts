// LANG-01: texts are asked for in a language.
import { type Check, fail, notExercised, pass, warn } from "../check.ts";
import { isInjected, type RequestEntry, sameKey, told } from "../observed.ts";

export const lang01: Check = {
  id: "LANG-01",
  level: "must",
  title: "Texts are asked for in a language",
  done: "Nothing; `Accept-Language` of the calls that need it is read.",
  rule: "A header that matches no language of the storefront is answered with 406, a missing header with 400.",
  advice: "Send `Accept-Language` with the guest's language and one to fall back to, such as `da, en;q=0.8`.",
  explain: {
    happens:
      "The header is left to the HTTP library, which sends none, or `*`. The guest reads texts in whatever language comes first, or the page stays empty.",
    instead: "Pass the guest's language on, with a second choice. On 406 ask for the second choice alone.",
    code: `await fetch(url, { headers: { authorization, "accept-language": \`\${guest.language}, en;q=0.8\` } });`,
  },
  judge({ requests, service }) {
    const calls = requests.filter((each) => service.needsLanguage.has(each.operation ?? "") && !isInjected(each));
    if (calls.length === 0) return notExercised("no call of an operation with texts");
    const bare = calls.filter((each) => each.status === 400 && languageOf(each) === "");
    if (bare.length > 0) return fail(`calls without Accept-Language were refused: ${bare.length}`, tellAll(bare));
    const unmatched = calls.filter(({ status }) => status === 406);
    const looped = unmatched.filter((each) =>
      unmatched.some((other) => other.seq > each.seq && sameKey(other) === sameKey(each)),
    );
    if (looped.length > 0) return fail("a 406 was tried again in the same language", tellAll(looped));
    const any = calls.filter((each) => languageOf(each) === "*");
    if (any.length === calls.length)
      return warn("only `*` was asked for, which an HTTP library sends by itself", tellAll(any));
    return pass("texts are asked for in a language");
  },
};

const languageOf = ({ request }: RequestEntry): string => String(request?.headers["accept-language"] ?? "").trim();
const tellAll = (requests: readonly RequestEntry[]) => requests.slice(0, 5).map((each) => told(each));
