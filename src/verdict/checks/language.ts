// In which language a program asks for texts.
import { type Judges, notExercised, pass, warn } from "../check.ts";
import { isInjected, keyInWorld, listEvidence, type RequestEntry } from "../observed.ts";

export const language = {
  "LANG-01": {
    lint({ requests, service }) {
      const calls = requests.filter((each) => service.needsLanguage.has(each.operation ?? "") && !isInjected(each));
      if (calls.length === 0) return notExercised("no call of an operation with texts");
      const bare = calls.filter((each) => each.status === 400 && readLanguage(each) === "");
      if (bare.length > 0)
        return warn(`calls without Accept-Language were refused: ${bare.length}`, listEvidence(bare));
      const unmatched = calls.filter(({ status }) => status === 406);
      const looped = unmatched.filter((each) =>
        unmatched.some((other) => other.seq > each.seq && keyInWorld(other) === keyInWorld(each)),
      );
      if (looped.length > 0) return warn("a 406 was tried again in the same language", listEvidence(looped));
      // fetch of Node sends a star where nobody asked for a language.
      const any = calls.filter((each) => readLanguage(each) === "*");
      if (any.length === calls.length)
        return warn("only `*` was asked for, which an HTTP library sends by itself", listEvidence(any));
      return pass("texts are asked for in a language");
    },
  },
} satisfies Judges<"LANG">;

const readLanguage = ({ request }: RequestEntry): string => String(request?.headers["accept-language"] ?? "").trim();
