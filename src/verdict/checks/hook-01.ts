// HOOK-01: a message that is not genuine is refused.
import { type Check, type Drill, fail, notExercised, pass } from "../check.ts";
import { attemptsIn, attemptTold, isAccepted, moreWrites, noReceiver } from "../hooks.ts";
import { told } from "../observed.ts";

const VARIANTS = ["altered", "wrong_secret", "stale_timestamp", "missing_header"] as const;

export const hook01: Check = {
  id: "HOOK-01",
  level: "must",
  title: "A message that is not genuine is refused",
  done: "Before a true message comes one with an altered body, a wrong secret, an old timestamp, or without its signature.",
  rule: "Each message is signed; a receiver verifies the signature and the timestamp before it believes anything.",
  advice:
    "Verify the signature over id, timestamp and the raw body, refuse what is older than five minutes, and answer 401.",
  explain: {
    happens:
      "The address of a receiver is no secret. Who knows it sends “booking cancelled” for every booking, or sends yesterday's messages again.",
    instead: "Verify before you parse, with the raw bytes, in constant time.",
    code: `const expected = createHmac("sha256", key).update(\`\${id}.\${timestamp}.\${raw}\`).digest();
const given = Buffer.from(signature, "base64");
const genuine = given.length === expected.length && timingSafeEqual(given, expected);
const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
if (!genuine || !fresh) return response.writeHead(401).end();`,
  },
  missing: noReceiver,
  drills: (control): Drill[] => {
    const faults = VARIANTS.map((each) => ({ name: each, delivery: { do: each }, times: 1 }));
    const enough = attemptsIn(control).filter(isAccepted).length >= VARIANTS.length;
    return enough
      ? [{ name: "all four", faults }]
      : faults.map((fault) => ({ name: fault.delivery.do, faults: [fault] }));
  },
  judge(observed, control) {
    const forged = attemptsIn(observed).filter(({ did, status }) => did !== undefined && status !== null);
    if (forged.length === 0) return notExercised("no message came to the receiver");
    const taken = forged.filter(isAccepted);
    const followed = taken.length > 0 ? moreWrites(observed, control) : [];
    const evidence = [
      ...(taken.length > 0 ? taken : forged).map((each) => attemptTold(each)),
      ...followed.slice(0, 2).map((each) => told(each, ", which followed")),
    ];
    if (taken.length > 0)
      return fail(
        `a message that is not genuine was accepted: ${[...new Set(taken.map(({ did }) => did))].join(", ")}`,
        evidence,
      );
    const crashed = forged.find(({ status }) => status !== null && status >= 500);
    if (crashed)
      return fail("a message that is not genuine breaks the receiver, so it would be sent again and again", evidence);
    return pass("messages that are not genuine were refused", evidence);
  },
};
