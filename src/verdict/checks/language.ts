// Checks in which language a program requests texts.
import type { Judges } from "../check.ts";
import { notExercised, pass, warn } from "../judgement.ts";
import { isInjected, listEvidence, type RequestEntry, toKeyInWorld } from "../observed.ts";

export const language = {
  "LANG-01": {
    lint({ requests, service }) {
      const calls = requests.filter((each) => service.needsLanguage.has(each.operation ?? "") && !isInjected(each));
      if (calls.length === 0) return notExercised("no request for an operation with texts");
      const bare = calls.filter((each) => each.status === 400 && readLanguage(each) === "");
      if (bare.length > 0)
        return warn(`requests without Accept-Language were rejected: ${bare.length}`, listEvidence(bare));
      const unmatched = calls.filter(({ status }) => status === 406);
      const looped = unmatched.filter((each) =>
        unmatched.some((other) => other.seq > each.seq && toKeyInWorld(other) === toKeyInWorld(each)),
      );
      if (looped.length > 0)
        return warn("a request rejected with 406 was repeated in the same language", listEvidence(looped));
      // `fetch` of Node sends a star by default.
      const any = calls.filter((each) => readLanguage(each) === "*");
      if (any.length === calls.length)
        return warn("only `*` was requested, which HTTP libraries send by default", listEvidence(any));
      return pass("texts are requested in a language");
    },
  },
} satisfies Judges<"LANG">;

const readLanguage = ({ request }: RequestEntry): string => String(request?.headers["accept-language"] ?? "").trim();
