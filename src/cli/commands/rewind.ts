// sandbox rewind: the world as it was at a moment.
import { clientOf } from "../client.ts";
import { type Call, type Command, clientOptions } from "../command.ts";
import { momentText } from "../terminal/history-shown.ts";
import { count } from "../terminal/terminal.ts";
import { MOMENT } from "./diff.ts";

export const rewind: Command = {
  name: "rewind",
  summary: "Put the world back as it was at a moment.",
  arguments: [["<moment>", MOMENT]],
  options: clientOptions,
  epilogue:
    "The clock goes back too. Keys, tokens, armed faults and the log stay. Deliveries that were pending then are\nsent again, with the same webhook-id: webhooks that were sent can't be called back.\nMessages to come have ids of their own. A rewind can be undone.",
  run: rewindWorld,
};

async function rewindWorld({ args: [to = ""], given, terminal }: Call): Promise<undefined> {
  const { ask, control } = clientOf(given);
  const done = await ask(control.POST("/_sandbox/rewind", { body: { to } }));
  if (given.flag("json")) {
    terminal.json(done);
    return;
  }
  const { undone, records, messages, undo, now } = done;
  const back = `${count(records, "record")} put back`;
  terminal.print(`Rewound to ${momentText(done.to)}: ${count(undone, "change")} undone, ${back}. It is ${now} now.`);
  if (messages > 0)
    terminal.say(
      `${count(messages, "message")} undone; receivers may have ${messages === 1 ? "it" : "them"}. Messages to come have new ids, while records get the same ones again.`,
    );
  terminal.say(
    `\`sandbox rewind ${undo.to}\` undoes it; the snapshot ${done.snapshot} has the world as it was before.`,
  );
}
