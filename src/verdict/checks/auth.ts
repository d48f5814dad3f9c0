// Checks how a program requests, keeps and sends tokens.
import { REDACTED } from "../../platform/redacted.ts";
import { judgeWaits, measureGaps } from "../back-off.ts";
import type { Judges } from "../check.ts";
import type { Comparison } from "../comparison.ts";
import { fail, judgeHarm, notExercised, pass, undecided, warn } from "../judgement.ts";
import * as log from "../observed.ts";
import { suggestProbe } from "../receiver.ts";

/** A program that requests more tokens for one 401 requests too many. */
const MAX_TOKENS = 2;

/** A program with fewer requests can't be judged. */
const MIN_REQUESTS_FOR_TOKENS = 5;

/** The log does not distinguish processes. */
const SEPARATE = "a program that every test starts again can't keep a token; ignore AUTH-02 with this reason";

/** A query parameter with one of these names contains a secret. */
const SECRET_NAMES = /^(client_secret|access_token|token|bearer|authorization|password|secret|webhook_secret)$/i;

/** Shorter values are no secrets. */
const MIN_SECRET_LENGTH = 16;

/** A program with fewer requests has not shown which scopes it needs. */
const MIN_REQUESTS_FOR_SCOPES = 3;

/** A program with this many unneeded scopes probably requests all of them. */
const MIN_NEEDLESS_SCOPES = 4;

/** The same 403 this often is no coincidence. */
const LOOP_TIMES = 3;

/** More attempts would load an endpoint that is already in trouble. */
const MAX_TOKEN_ATTEMPTS = 6;

const explainNoToken = (control: log.Observed): string | undefined =>
  log.explainNoSuccess(log.findCalls(control, "createToken"), "the program requests no token", "token request");

export const auth = {
  "AUTH-01": {
    missing: log.explainNoCall,
    // The token is revoked in the middle of the requests, because before the first one the program would only request
    // another token.
    faults: (control) => [{ operation: "*", token: { revoke: true }, skip: countHalf(control), times: 1 }],
    judge(run) {
      const { observed, control, harm } = run;
      const refusals = observed.requests.filter((each) => each.status === 401 && log.isCall(each));
      const [refused] = refusals;
      if (!refused) return notExercised("no request used the revoked token");
      // The same request must be repeated, because the work that it started must not be lost.
      const repeated = findRepeat(run, refused);
      const fewer = refusals.filter((each) => hasFewerSuccesses(run, each));
      const lost = repeated ? fewer.find((each) => isOvertaken(run, each)) : refused;
      if (lost) {
        const evidence = [log.toEvidence(lost, ", token revoked"), ...log.listEvidence(log.findLater(observed, lost))];
        return judgeHarm(`after 401 the request was not repeated: ${lost.method} ${lost.operation}`, evidence, harm);
      }
      const tokens = log
        .findLater(observed, refused)
        .filter((each) => each.operation === "createToken" && (!repeated || each.seq < repeated.seq));
      const evidence = [
        log.toEvidence(refused, ", token revoked"),
        ...log.listEvidence(tokens),
        ...(repeated ? [log.toEvidence(repeated)] : []),
      ];
      // The program's own tests may count tokens.
      if (harm || !run.hasSameEnd)
        return judgeHarm("after 401 the result differs from the control run", evidence, harm);
      // A program that waits for a change repeats the same read, and sends fewer reads if it waits shorter.
      if (fewer[0] && !run.hasSameState)
        return undecided(
          `after 401 it called ${fewer[0].operation} once less than in the control run, so whether it repeated the request is unknown`,
          suggestProbe(control),
          evidence,
        );
      // Parallel requests with the same token are rejected as well, and each may request a new token.
      const times = refusals.filter(({ seq }) => !repeated || seq < repeated.seq).length;
      if (tokens.length > Math.max(MAX_TOKENS, times)) {
        const cause = times === 1 ? "one 401" : `${times} times 401`;
        return warn(`after ${cause} it requested ${tokens.length} tokens`, evidence);
      }
      return pass("after 401 it requested a new token and repeated the request", evidence);
    },
  },

  "AUTH-02": {
    lint(logged) {
      const calls = logged.requests.filter(log.isCall);
      if (calls.length < MIN_REQUESTS_FOR_TOKENS)
        return notExercised(`${calls.length} of the ${MIN_REQUESTS_FOR_TOKENS} requests that the check needs`);
      const needless = findNeedlessTokens(logged);
      const says = `${needless.length + 1} tokens for ${calls.length} requests`;
      // A few unneeded tokens are no pattern, but one token for two requests is.
      if (needless.length === 0 || (needless.length + 1) * 2 < calls.length) return pass("tokens are kept");
      return {
        ...warn(`${says}, with the same scopes and within one lifetime`, log.listEvidence(needless)),
        add: SEPARATE,
      };
    },
  },

  "AUTH-03": {
    missing: explainNoToken,
    // The token is as long as a JWT may be, which reveals programs that truncate or parse it.
    faults: () => [{ operation: "createToken", token: { form: "long", expires_in: 60 }, times: 100_000 }],
    unmet: () => "no token was requested",
    judge(run) {
      const { observed, hit: token } = run;
      const evidence = [log.toEvidence(token, ", 2048 characters with dots")];
      const broken = observed.requests.find((each) => log.isCall(each) && each.status === 401);
      if (broken) return fail("a long token was not sent unchanged", [...evidence, log.toEvidence(broken)]);
      return run.judgeContinuation("a long token");
    },
  },

  "AUTH-04": {
    lint(logged) {
      if (logged.requests.length === 0) return notExercised("no call");
      const found = logged.requests.flatMap((request) => {
        const address = findSecret(request);
        return address === undefined ? [] : [{ id: request.id, at: request.at, says: `${request.method} ${address}` }];
      });
      if (found.length === 0) return pass("no secret in an address");
      return warn(`requests with a secret in the address: ${found.length}`, found.slice(0, 5));
    },
  },

  "AUTH-05": {
    lint(logged) {
      const { requests, service } = logged;
      // A 403 that a fault caused does not show the scopes.
      const refused = requests.filter((request) => request.status === 403 && !log.isInjected(request));
      const alike = log.groupBy(refused, log.toKeyInWorld);
      const looped = refused.filter((request) => (alike.get(log.toKeyInWorld(request))?.length ?? 0) >= LOOP_TIMES);
      if (looped[0])
        return warn(`a request rejected with 403 was sent ${looped.length} times unchanged`, log.listEvidence(looped));
      const calls = requests.filter((request) => log.isCall(request) && request.status !== 401);
      if (calls.length < MIN_REQUESTS_FOR_SCOPES)
        return notExercised(`${calls.length} of the ${MIN_REQUESTS_FOR_SCOPES} requests that the check needs`);
      const needed = new Set(calls.flatMap(({ operation }) => service.scopesByOperation.get(operation ?? "") ?? []));
      const requested = groupByScope(logged);
      const needless = [...requested.keys()].filter((scope) => scope !== "openid" && !needed.has(scope));
      if (needless.length < MIN_NEEDLESS_SCOPES) return pass("scopes fit the calls");
      const evidence = [...new Set(requested.values())].map((request) => log.toEvidence(request));
      return warn(
        `${needless.length} scopes requested but never needed; these are enough: ${[...needed].join(" ") || "none"}`,
        evidence.slice(0, 3),
      );
    },
  },

  "AUTH-06": {
    waitMs: 1000,
    missing: explainNoToken,
    faults: () => [{ operation: "createToken", status: 503, times: 2 }],
    unmet: () => "no token was requested",
    judge(run) {
      const { observed, hit } = run;
      // Another world has other credentials, and so another token.
      const all = log.findCalls(observed, "createToken").filter(({ world }) => world === hit.world);
      const worked = all.findIndex(log.isSuccess);
      // The attempts end with the first success, because later token requests have another reason.
      const attempts = all.slice(0, worked < 0 ? undefined : worked + 1);
      const evidence = log.listEvidence(attempts);
      if (attempts.length > MAX_TOKEN_ATTEMPTS) return warn(`it requested a token ${attempts.length} times`, evidence);
      // Tests that each request a token once are no attempts of one program.
      if (worked < 0 || !run.hasSameEnd)
        return warn("it fails when the token endpoint is briefly unavailable", evidence);
      return judgeWaits(measureGaps(attempts), "503 of the token endpoint", evidence);
    },
  },
} satisfies Judges<"AUTH">;

/**
 * Returns half of the number of requests. The final repetitions of a program that polls don't count, because another
 * run may have fewer of them.
 */
function countHalf({ requests }: log.Observed): number {
  const calls = requests.filter(log.isCall);
  const [last] = log.omitRepeatedReads(calls).slice(-1);
  return Math.floor((last ? calls.indexOf(last) + 1 : calls.length) / 2);
}

/** Finds the same request with a success, or with a response that the control run has too. */
function findRepeat({ observed, control }: Comparison, refused: log.RequestEntry): log.RequestEntry | undefined {
  const expected = log.findCalls(control, refused.operation ?? "");
  const isExpected = ({ status, code }: log.RequestEntry) =>
    expected.some((other) => other.status === status && other.code === code);
  return log
    .findLater(observed, refused)
    .find((each) => log.toRequestKey(each) === log.toRequestKey(refused) && (log.isSuccess(each) || isExpected(each)));
}

/** The program succeeded less often than in the control run, so a later equal request is no repetition. */
function hasFewerSuccesses({ observed, control, lostOperations }: Comparison, refused: log.RequestEntry): boolean {
  const countSuccesses = (run: log.Observed) => log.findAlike(run, refused).filter(log.isSuccess).length;
  return countSuccesses(observed) < countSuccesses(control) && lostOperations.includes(refused.operation ?? "");
}

/** The program continued with other requests first. */
function isOvertaken(run: Comparison, refused: log.RequestEntry): boolean {
  const again = findRepeat(run, refused);
  return log
    .findLater(run.observed, refused)
    .some((each) => log.isCall(each) && log.isSuccess(each) && (!again || each.seq < again.seq));
}

/** Finds tokens that were requested although one with the same scopes was valid. A new token after a 401 is right. */
function findNeedlessTokens({ requests }: log.Logged): log.RequestEntry[] {
  const ends = new Map<string, number>();
  return requests.filter((request) => {
    if (request.status === 401) ends.clear();
    if (request.operation !== "createToken" || !log.isSuccess(request) || log.isInjected(request)) return false;
    const { scope = "", expires_in = 0 } = (request.answer?.body ?? {}) as { scope?: string; expires_in?: number };
    const now = Date.parse(request.at);
    const token = `${request.world} ${scope}`;
    const isRepeated = (ends.get(token) ?? 0) > now;
    ends.set(token, now + expires_in * 1000);
    return isRepeated;
  });
}

/** Returns the address if it contains a secret. The log redacts tokens and secrets of the sandbox. */
function findSecret({ path, request }: log.RequestEntry): string | undefined {
  if (path.includes(REDACTED)) return path;
  const member = Object.entries(request?.query ?? {}).find(([name, value]) => {
    const text = [value].flat().join();
    const isLong = text.length >= MIN_SECRET_LENGTH;
    return `${name}=${text}`.includes(REDACTED) || (SECRET_NAMES.test(name) && isLong);
  });
  return member && `${path}?${member[0]}=…`;
}

/** Returns the scopes of all tokens, each with a request for it. */
function groupByScope({ requests }: log.Logged): Map<string, log.RequestEntry> {
  const tokens = requests.filter((request) => request.operation === "createToken" && log.isSuccess(request));
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
