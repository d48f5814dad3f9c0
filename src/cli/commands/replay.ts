// sandbox replay: sends a logged request again, changed where that is wanted.
import { clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, setOption } from "../command.ts";
import { readSets } from "../set-paths.ts";
import { plain, statusText } from "../terminal/line.ts";

export const replay: Command = {
  name: "replay",
  summary: "Send a logged request again, with a new token of its key.",
  arguments: [["<request>", "Id of the request; `sandbox logs` lists them."]],
  options: [
    {
      ...setOption,
      meaning:
        "Change a member of the body before, or of the rest: `path.bookingId=…`, `query.limit=1`, `header.accept-language=da`; null takes it away. Several are possible.",
    },
    ...clientOptions,
  ],
  epilogue: [
    "  sandbox replay req-4f0c-12",
    "  sandbox replay req-4f0c-12 --set items.0.quantity=2",
    "  sandbox replay req-4f0c-12 --set path.bookingId=bkg-evening",
    "",
    "Exit code 0 for a 2xx response, otherwise 1.",
  ].join("\n"),
  run: sendAgain,
};

async function sendAgain({ args: [requestId = ""], given, terminal }: Call): Promise<number> {
  const set = Object.fromEntries(readSets(given.list("set")));
  const { ask, control } = clientOf(given);
  const call = control.POST("/_sandbox/requests/{requestId}/replay", {
    params: { path: { requestId } },
    body: { set },
  });
  const replayed = await ask(call);
  const { id, status, answer } = replayed;
  if (given.flag("json")) terminal.json(replayed);
  else {
    terminal.say(`${statusText(status, terminal.paint)}  ${id}, a replay of ${requestId}`);
    if (answer !== null) terminal.print(typeof answer === "string" ? plain(answer) : JSON.stringify(answer, null, 2));
  }
  return status !== null && status < 300 ? 0 : 1;
}
