// AUTH-05: a program asks for the scopes that it needs, and a 403 is not tried again.
import { type Check, fail, notExercised, pass, warn } from "../check.ts";
import { isCall, isInjected, type Observed, sameKey, succeeded, told } from "../observed.ts";

/** A program that makes fewer calls has not shown what it needs. */
const FEWEST_CALLS = 3;
/** So many scopes too many are meant as "all". */
const FEWEST_NEEDLESS = 4;
const REPEATED = 3;

export const auth05: Check = {
  id: "AUTH-05",
  level: "should",
  title: "A token has the scopes that the program needs",
  done: "Nothing; scopes of tokens are held against what the called operations need.",
  rule: "Each operation names the scope that it needs.",
  advice: "Name the scopes in the token request, and give the key no others.",
  explain: {
    happens:
      "A token for everything is a token for everything when it is stolen. And a 403 stays a 403: asking again only fills the log.",
    instead:
      "List the scopes of the operations that you call. When a 403 comes, tell a person which scope the key lacks.",
    code: `new URLSearchParams({ grant_type: "client_credentials", scope: "booking.read booking.write", audience, client_id, client_secret });`,
  },
  judge(observed) {
    const { requests, service } = observed;
    const refused = requests.filter((request) => request.status === 403 && !isInjected(request));
    const looped = refused.filter(
      (request) => refused.filter((each) => sameKey(each) === sameKey(request)).length >= REPEATED,
    );
    if (looped[0])
      return fail(
        `a 403 was tried ${looped.length} times, unchanged`,
        looped.slice(0, 5).map((each) => told(each)),
      );
    const calls = requests.filter((request) => isCall(request) && request.status !== 401);
    if (calls.length < FEWEST_CALLS) return notExercised(`${calls.length} of the ${FEWEST_CALLS} calls that it takes`);
    const needed = new Set(calls.flatMap(({ operation }) => service.scopesOf.get(operation ?? "") ?? []));
    const asked = askedScopes(observed);
    const needless = [...asked.keys()].filter((scope) => scope !== "openid" && !needed.has(scope));
    if (needless.length < FEWEST_NEEDLESS) return pass("scopes fit the calls");
    const evidence = [...new Map([...asked.values()].map((request) => [request.id, told(request)])).values()];
    return warn(
      `${needless.length} scopes asked and never needed; enough are: ${[...needed].join(" ") || "none"}`,
      evidence.slice(0, 3),
    );
  },
};

/** Those of the tokens, each with a request that asked for it. */
function askedScopes({ requests }: Observed): Map<string, Observed["requests"][number]> {
  const tokens = requests.filter((request) => request.operation === "createToken" && succeeded(request));
  return new Map(
    tokens.flatMap((request) => {
      const { scope = "" } = (request.answer?.body ?? {}) as { scope?: string };
      return scope
        .split(" ")
        .filter(Boolean)
        .map((each) => [each, request] as const);
    }),
  );
}
