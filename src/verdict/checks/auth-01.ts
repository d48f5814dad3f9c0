// AUTH-01: a token that is refused is replaced, and the call is made again.
import { type Check, fail, notExercised, pass, warn } from "../check.ts";
import { after, endOf } from "../compare.ts";
import { isCall, type Observed, sameKey, succeeded, told } from "../observed.ts";

/** Who asks more often for one 401 asks too often. */
const MOST_TOKENS = 2;

export const auth01: Check = {
  id: "AUTH-01",
  level: "must",
  title: "A refused token is replaced, and the call made again",
  done: "In the middle of the run the token in use is revoked.",
  rule: "401 answers a missing, unknown, expired or revoked token; a token may end at any time.",
  advice: "On 401 ask for one new token and make the same call once more.",
  explain: {
    happens:
      "Tokens end early: a key is rotated, a cache is emptied, a clock is wrong by a minute. A program that counts only on `expires_in` fails until it is restarted.",
    instead: "Treat a 401 as the end of the token: forget it, ask for a new one, repeat the call once.",
    code: `async function call(path, options, again = true) {
  const answer = await fetch(url + path, { ...options, headers: { ...options.headers, authorization: \`Bearer \${await token()}\` } });
  if (answer.status !== 401 || !again) return answer;
  forgetToken();
  return call(path, options, false);
}`,
  },
  missing: (control) =>
    control.requests.some((each) => isCall(each) && succeeded(each)) ? undefined : "the program makes no call",
  drills: (control) => [{ faults: [{ operation: "*", token: { revoke: true }, skip: middleOf(control), times: 1 }] }],
  judge(observed) {
    const refused = observed.requests.find((each) => each.status === 401 && isCall(each));
    if (!refused) return notExercised("no call came with the token that was revoked");
    const later = after(observed, refused);
    const repeated = later.find((each) => sameKey(each) === sameKey(refused) && succeeded(each));
    if (!repeated)
      return fail(`after 401 the call was lost: ${refused.method} ${refused.operation}`, [
        told(refused, ", token revoked"),
        ...endOf(observed),
      ]);
    const tokens = later.filter((each) => each.operation === "createToken" && each.seq < repeated.seq);
    const evidence = [
      told(refused, ", token revoked"),
      ...tokens.slice(0, 3).map((each) => told(each)),
      told(repeated),
    ];
    if (tokens.length > MOST_TOKENS) return warn(`after one 401 it asked for ${tokens.length} tokens`, evidence);
    return pass("after 401 it took a new token and made the call again", evidence);
  },
};

const middleOf = ({ requests }: Observed): number => Math.floor(requests.filter(isCall).length / 2);
