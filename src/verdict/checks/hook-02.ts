// HOOK-02: a message that comes twice does its work once.
import { type Check, fail, notExercised, pass, undecided } from "../check.ts";
import {
  attemptsIn,
  attemptTold,
  isAccepted,
  moreWrites,
  noReceiver,
  probesAlike,
  probeTold,
  probeWanted,
} from "../hooks.ts";
import { told } from "../observed.ts";

export const hook02: Check = {
  id: "HOOK-02",
  level: "must",
  title: "A message that comes twice does its work once",
  done: "Each message comes twice, with the same webhook-id.",
  rule: "A delivery is repeated until it is answered; each attempt has the same `webhook-id`. A receiver ignores ids that it has seen.",
  advice: "Keep each webhook-id where your work is kept, in one transaction, and answer 2xx to one that is known.",
  explain: {
    happens: "Your 200 is lost on the way, so the message comes again. The guest gets two mails, the ledger two rows.",
    instead: "Insert the id first, under a unique key. When it is there, answer 200 and do nothing.",
    code: `const { rowCount } = await db.query("insert into seen (id) values ($1) on conflict do nothing", [headers["webhook-id"]]);
if (rowCount === 0) return response.writeHead(200).end();`,
  },
  missing: noReceiver,
  drills: () => [{ faults: [{ name: "duplicate", delivery: { do: "duplicate" }, times: 100 }] }],
  judge(observed, control) {
    const attempts = attemptsIn(observed).filter(({ status }) => status !== null);
    const doubled = attempts.filter(({ did }) => did !== undefined);
    if (doubled.length === 0) return notExercised("no message came to the receiver");
    const evidence = doubled.slice(0, 3).map((each) => attemptTold(each, ", twice"));
    const refused = doubled.find((each) => !isAccepted(each));
    if (refused)
      return fail("a message that came twice was not answered 2xx, so it would come again and again", [
        attemptTold(refused),
      ]);
    const more = moreWrites(observed, control);
    if (more.length > 0)
      return fail(`a message that came twice did its work twice: ${more[0]?.operation}`, [
        ...evidence,
        ...more.slice(0, 3).map((each) => told(each)),
      ]);
    const alike = probesAlike(observed, control);
    if (alike === false)
      return fail("a message that came twice left another state behind", [...evidence, probeTold(observed, control)]);
    if (alike) return pass("a message that came twice did its work once", evidence);
    return undecided("what the receiver keeps for itself can't be seen", probeWanted(control), evidence);
  },
};
