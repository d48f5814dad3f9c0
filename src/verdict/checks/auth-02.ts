// AUTH-02: a token is kept for as long as it lasts.
import { type Check, notExercised, pass, warn } from "../check.ts";
import { isCall, isInjected, type Observed, type RequestEntry, succeeded, told } from "../observed.ts";

/** Fewer calls say nothing. */
const FEWEST_CALLS = 5;

/** The log does not tell processes apart. */
const SEPARATE =
  "where each test starts the program anew, it can't keep a token: then ignore AUTH-02, with this reason";

export const auth02: Check = {
  id: "AUTH-02",
  level: "should",
  title: "One token serves many calls",
  done: "Nothing; token requests are counted beside the calls.",
  rule: "`expires_in` of the token answer says how long the token lasts (RFC 6749, 5.1).",
  advice: "Keep the token until shortly before `expires_in` is over, or until a 401, and share it between calls.",
  explain: {
    happens:
      "Each call first asks for a token. Every call takes twice as long, and the token endpoint, which has a limit of its own, answers 429 on a busy day.",
    instead: "Ask once, keep the token with its end, and let calls that need one at the same time share one request.",
    code: `let held; // { token, until }

async function token() {
  if (!held || Date.now() > held.until) {
    held = requestToken().then(({ access_token, expires_in }) => ({ token: access_token, until: Date.now() + (expires_in - 60) * 1000 }));
    held.catch(() => (held = undefined));
  }
  return (await held).token;
}`,
  },
  judge(observed) {
    const calls = observed.requests.filter(isCall);
    if (calls.length < FEWEST_CALLS) return notExercised(`${calls.length} of the ${FEWEST_CALLS} calls that it takes`);
    const needless = repeatedTokens(observed);
    const says = `${needless.length + 1} tokens for ${calls.length} calls`;
    if (needless.length === 0 || (needless.length + 1) * 2 < calls.length) return pass("tokens are kept");
    const evidence = needless.slice(0, 5).map((request) => told(request));
    return { ...warn(`${says}, with the same scopes and within one lifetime`, evidence), add: SEPARATE };
  },
};

/** Tokens asked for though one with the same scopes was there; after a 401 a new one is right. */
function repeatedTokens({ requests }: Observed): RequestEntry[] {
  const ends = new Map<string, number>();
  return requests.filter((request) => {
    if (request.status === 401) ends.clear();
    if (request.operation !== "createToken" || !succeeded(request) || isInjected(request)) return false;
    const { scope = "", expires_in = 0 } = (request.answer?.body ?? {}) as { scope?: string; expires_in?: number };
    const now = Date.parse(request.at);
    const isRepeated = (ends.get(scope) ?? 0) > now;
    ends.set(scope, now + expires_in * 1000);
    return isRepeated;
  });
}
