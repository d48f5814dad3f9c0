// How a program gets a token, keeps it and sends it.

import { REDACTED } from "../../platform/redacted.ts";
import { gapsOf, waitsJudged } from "../back-off.ts";
import { fail, type Judges, notExercised, pass, undecided, warn } from "../check.ts";
import { after, endedAlike, goesOn, hitIn, lostIn } from "../compare.ts";
import { findHarm, judgeHarm } from "../harm.ts";
import { probesAlike, probeWanted } from "../hooks.ts";
import {
  callsOf,
  evidenceOf,
  findAlike,
  grouped,
  isCall,
  isInjected,
  keyInWorld,
  type Logged,
  listEvidence,
  newsIn,
  noCall,
  type Observed,
  type RequestEntry,
  sameKey,
  succeeded,
  whyNone,
} from "../observed.ts";

/** Who asks more often for one 401 asks too often. */
const MOST_TOKENS = 2;

/** Fewer calls say nothing. */
const FEWEST_TO_JUDGE_TOKENS = 5;

/** The log does not tell processes apart. */
const SEPARATE =
  "where each test starts the program anew, it can't keep a token: then ignore AUTH-02, with this reason";

/** Names under which a secret is one, whatever its value. */
const SECRET_NAMES = /^(client_secret|access_token|token|bearer|authorization|password|secret|webhook_secret)$/i;

/** Shorter values are no secrets. */
const SHORTEST_SECRET = 16;

/** A program that makes fewer calls has not shown what it needs. */
const FEWEST_TO_JUDGE_SCOPES = 3;

/** So many scopes too many are meant as "all". */
const FEWEST_NEEDLESS = 4;

/** As often as the same 403 is no chance any more. */
const REFUSED_AGAIN = 3;

/** More than that in a row loads an endpoint that is already in trouble. */
const MOST_TOKEN_ATTEMPTS = 6;

const noToken = (control: Observed): string | undefined =>
  whyNone(callsOf(control, "createToken"), "the program asks for no token", "token request");

export const auth = {
  "AUTH-01": {
    missing: noCall,
    // In the middle of the calls: before the first one a program would only ask anew.
    drills: (control) => [{ faults: [{ operation: "*", token: { revoke: true }, skip: middleOf(control), times: 1 }] }],
    judge(observed, control) {
      const refusals = observed.requests.filter((each) => each.status === 401 && isCall(each));
      const [refused] = refusals;
      if (!refused) return notExercised("no call came with the token that was revoked");
      // The same call and not just any: work that was begun must not be lost.
      const repeated = againIn(observed, refused, control);
      const fewer = refusals.filter((each) => isFewer(each, observed, control));
      const lost = repeated ? fewer.find((each) => isLeftOut(each, observed, control)) : refused;
      const harm = findHarm(observed, control);
      if (lost) {
        const evidence = [evidenceOf(lost, ", token revoked"), ...listEvidence(after(observed, lost))];
        return judgeHarm(`after 401 the call was lost: ${lost.method} ${lost.operation}`, evidence, harm);
      }
      const tokens = after(observed, refused).filter(
        (each) => each.operation === "createToken" && (!repeated || each.seq < repeated.seq),
      );
      const evidence = [
        evidenceOf(refused, ", token revoked"),
        ...listEvidence(tokens),
        ...(repeated ? [evidenceOf(repeated)] : []),
      ];
      // A test may count tokens.
      if (harm || !endedAlike(observed, control))
        return judgeHarm("after 401 the result differs from the control run", evidence, harm);
      // A program that waits for something reads the same again, and once less where it waits shorter.
      if (fewer[0] && !probesAlike(observed, control))
        return undecided(
          `after 401 it called ${fewer[0].operation} once less than without, so it can't be seen whether the call was made again`,
          probeWanted(control),
          evidence,
        );
      // Calls that were under way with the same token are refused as well, and each may ask for one.
      const times = refusals.filter(({ seq }) => !repeated || seq < repeated.seq).length;
      if (tokens.length > Math.max(MOST_TOKENS, times))
        return warn(
          `after ${times === 1 ? "one 401" : `${times} times 401`} it asked for ${tokens.length} tokens`,
          evidence,
        );
      return pass("after 401 it took a new token and made the call again", evidence);
    },
  },

  "AUTH-02": {
    lint(logged) {
      const calls = logged.requests.filter(isCall);
      if (calls.length < FEWEST_TO_JUDGE_TOKENS)
        return notExercised(`${calls.length} of the ${FEWEST_TO_JUDGE_TOKENS} calls that it takes`);
      const needless = repeatedTokens(logged);
      const says = `${needless.length + 1} tokens for ${calls.length} calls`;
      // A few too many are no pattern; one token for two calls is.
      if (needless.length === 0 || (needless.length + 1) * 2 < calls.length) return pass("tokens are kept");
      return {
        ...warn(`${says}, with the same scopes and within one lifetime`, listEvidence(needless)),
        add: SEPARATE,
      };
    },
  },

  "AUTH-03": {
    missing: noToken,
    drills: () => [
      {
        shares: "answers",
        // As long as a JWT may be: a program that cuts it off, or parses it, is found.
        faults: [{ operation: "createToken", token: { form: "long", expires_in: 60 }, times: 100_000 }],
      },
    ],
    judge(observed, control) {
      const [token] = hitIn(observed);
      if (!token) return notExercised("no token was asked for");
      const evidence = [evidenceOf(token, ", 2048 characters with dots")];
      const broken = observed.requests.find((each) => isCall(each) && each.status === 401);
      if (broken) return fail("a long token did not come back as it was", [...evidence, evidenceOf(broken)]);
      return goesOn(observed, control, "a long token");
    },
  },

  "AUTH-04": {
    lint(logged) {
      if (logged.requests.length === 0) return notExercised("no call");
      const found = logged.requests.flatMap((request) => {
        const address = secretIn(request);
        return address === undefined ? [] : [{ id: request.id, at: request.at, says: `${request.method} ${address}` }];
      });
      if (found.length === 0) return pass("no secret in an address");
      return warn(`calls with a secret in the address: ${found.length}`, found.slice(0, 5));
    },
  },

  "AUTH-05": {
    lint(logged) {
      const { requests, service } = logged;
      // One that a fault made says nothing of the scopes.
      const refused = requests.filter((request) => request.status === 403 && !isInjected(request));
      const alike = grouped(refused, keyInWorld);
      const looped = refused.filter((request) => (alike.get(keyInWorld(request))?.length ?? 0) >= REFUSED_AGAIN);
      if (looped[0]) return warn(`a 403 was tried ${looped.length} times, unchanged`, listEvidence(looped));
      const calls = requests.filter((request) => isCall(request) && request.status !== 401);
      if (calls.length < FEWEST_TO_JUDGE_SCOPES)
        return notExercised(`${calls.length} of the ${FEWEST_TO_JUDGE_SCOPES} calls that it takes`);
      const needed = new Set(calls.flatMap(({ operation }) => service.scopesOf.get(operation ?? "") ?? []));
      const requested = requestedScopes(logged);
      const needless = [...requested.keys()].filter((scope) => scope !== "openid" && !needed.has(scope));
      if (needless.length < FEWEST_NEEDLESS) return pass("scopes fit the calls");
      const evidence = [
        ...new Map([...requested.values()].map((request) => [request.id, evidenceOf(request)])).values(),
      ];
      return warn(
        `${needless.length} scopes asked and never needed; enough are: ${[...needed].join(" ") || "none"}`,
        evidence.slice(0, 3),
      );
    },
  },

  "AUTH-06": {
    missing: noToken,
    drills: () => [{ waitMs: 1000, faults: [{ operation: "createToken", status: 503, times: 2 }] }],
    judge(observed, control) {
      const hit = hitIn(observed);
      if (hit.length === 0) return notExercised("no token was asked for");
      // Another world has another key, and so another token.
      const all = callsOf(observed, "createToken").filter(({ world }) => world === hit[0]?.world);
      const worked = all.findIndex(succeeded);
      // Up to the first that worked; later ones have another reason.
      const attempts = all.slice(0, worked < 0 ? undefined : worked + 1);
      const evidence = listEvidence(attempts);
      if (attempts.length > MOST_TOKEN_ATTEMPTS) return warn(`it asked ${attempts.length} times`, evidence);
      // Tests that each ask once are no attempts of one program.
      if (worked < 0 || !endedAlike(observed, control))
        return warn("a token endpoint that is busy for a moment makes it fail", evidence);
      return waitsJudged(gapsOf(attempts), "503 of the token endpoint", evidence);
    },
  },
} satisfies Judges<"AUTH">;

/** In the middle of its work: what a program that polls repeats without end does not count, since a later run sees less of it. */
function middleOf({ requests }: Observed): number {
  const calls = requests.filter(isCall);
  const [last] = newsIn(calls).slice(-1);
  return Math.floor((last ? calls.indexOf(last) + 1 : calls.length) / 2);
}

/** The same call, with a response that is a success or that the control run has as well. */
function againIn(observed: Observed, refused: RequestEntry, control: Observed): RequestEntry | undefined {
  const expected = callsOf(control, refused.operation ?? "");
  const isExpected = ({ status, code }: RequestEntry) =>
    expected.some((other) => other.status === status && other.code === code);
  return after(observed, refused).find(
    (each) => sameKey(each) === sameKey(refused) && (succeeded(each) || isExpected(each)),
  );
}

/** It succeeded less often than without the drill: what looks like its repetition the program does anyway. */
function isFewer(refused: RequestEntry, observed: Observed, control: Observed): boolean {
  const countSuccesses = (run: Observed) => findAlike(run, refused).filter(succeeded).length;
  return (
    countSuccesses(observed) < countSuccesses(control) && lostIn(observed, control).includes(refused.operation ?? "")
  );
}

/** The program went on with other calls first. */
function isLeftOut(refused: RequestEntry, observed: Observed, control: Observed): boolean {
  const again = againIn(observed, refused, control);
  return after(observed, refused).some((each) => isCall(each) && succeeded(each) && (!again || each.seq < again.seq));
}

/** Tokens asked for though one with the same scopes was there; after a 401 a new one is right. */
function repeatedTokens({ requests }: Logged): RequestEntry[] {
  const ends = new Map<string, number>();
  return requests.filter((request) => {
    if (request.status === 401) ends.clear();
    if (request.operation !== "createToken" || !succeeded(request) || isInjected(request)) return false;
    const { scope = "", expires_in = 0 } = (request.answer?.body ?? {}) as { scope?: string; expires_in?: number };
    const now = Date.parse(request.at);
    const token = `${request.world} ${scope}`;
    const isRepeated = (ends.get(token) ?? 0) > now;
    ends.set(token, now + expires_in * 1000);
    return isRepeated;
  });
}

/** The address with what is secret in it: the log blots a token and a secret of the sandbox wherever they are. */
function secretIn({ path, request }: RequestEntry): string | undefined {
  if (path.includes(REDACTED)) return path;
  const member = Object.entries(request?.query ?? {}).find(([name, value]) => {
    const text = [value].flat().join();
    const isLong = text.length >= SHORTEST_SECRET;
    return `${name}=${text}`.includes(REDACTED) || (SECRET_NAMES.test(name) && isLong);
  });
  return member && `${path}?${member[0]}=…`;
}

/** Those of the tokens, each with a request that asked for it. */
function requestedScopes({ requests }: Logged): Map<string, RequestEntry> {
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
