// The tools list_acts, describe_act and act run host actions, for which the API has no operation.
import { perform, type Schemas } from "../../client/control.ts";
import { SandboxError } from "../../client/sandbox-error.ts";
import { findNearest, suggest } from "../../platform/nearest.ts";
import { markData } from "../result-pages.ts";
import { outlineSchema } from "../schema-outline.ts";
import { createInput, formatCall, formatToolError, type Session, type Tool, ToolRejection } from "../tool.ts";

type Act = Schemas["Act"];

// The list is requested from the sandbox, because another version may have more acts.
const listHostActs = async ({ ask }: Session): Promise<Act[]> =>
  (await ask((control) => control.GET("/_sandbox/acts"))).items as Act[];

async function findAct(name: string | undefined, session: Session): Promise<Act> {
  const acts = await listHostActs(session);
  const found = acts.find(({ act: known }) => known === name);
  if (found) return found;
  const names = acts.map(({ act: known }) => known);
  const message = name === undefined ? "Which act?" : `There is no act ${JSON.stringify(name)}.${suggest(name, names)}`;
  const nearest = name === undefined ? undefined : findNearest(name, names);
  throw new ToolRejection(message, [
    ...(nearest ? [formatCall("describe_act", { act: nearest })] : []),
    formatCall("list_acts", {}),
    formatCall("act", act.example),
  ]);
}

export const listActs: Tool = {
  name: "list_acts",
  title: "List the acts of the host",
  description: "Lists by name what the host can do: cancel a booking, sell at the desk, refund, publish an event.",
  input: createInput({
    about: { description: "List only acts with this word, such as booking.", type: "string", maxLength: 60 },
  }),
  example: {},
  async run({ about }: { about?: string }, session) {
    const acts = await listHostActs(session);
    const wanted = about?.toLowerCase() ?? "";
    const found = acts.filter(({ act: name, summary }) => `${name} ${summary}`.toLowerCase().includes(wanted));
    if (found.length > 0) return found.map(({ act: name, summary }) => `${name}: ${summary}`);
    throw new ToolRejection(`No act matches ${JSON.stringify(about)}.`, [formatCall("list_acts", {})]);
  },
};

const actName = { description: "The name of an act, such as cancelBooking. Required.", type: "string", maxLength: 60 };

interface ActArguments {
  act?: string;
  input?: object;
}

export const describeAct: Tool = {
  name: "describe_act",
  title: "Describe an act",
  description: "What an act does, its input, and a call as an example.",
  input: createInput({ act: actName }),
  example: { act: "cancelBooking" },
  async run({ act: name }: ActArguments, session) {
    const found = await findAct(name, session);
    return [
      `# ${found.act}`,
      found.summary,
      ...(found.description ? [found.description.trim()] : []),
      "",
      "## input",
      ...outlineSchema(found.input, {}),
      "",
      "## example",
      formatCall("act", { act: found.act, input: found.example }),
    ];
  },
};

export const act: Tool = {
  name: "act",
  title: "Act as the host",
  description: "Runs an act in your world and shows what it changed. Its webhooks are sent.",
  input: createInput({ act: actName, input: { description: "The input that describe_act shows.", type: "object" } }),
  example: { act: "cancelBooking", input: { booking_id: "bkg-evening" } },
  effect: "changes",
  async run({ act: name, input = {} }: ActArguments, session) {
    const found = await findAct(name, session);
    const { result, facts, fact_count } = await session
      .ask((control) => perform(control, found.act, input))
      .catch((error) => {
        // The caller formats errors that are no response of the sandbox.
        if (!(error instanceof SandboxError)) throw error;
        // `why` suggests a change that was tested; an example may name a record in an unsuitable state.
        const works = [formatCall("describe_act", { act: found.act }), formatCall("why", {})];
        throw new ToolRejection(formatToolError(error, "input"), works, error.code);
      });
    const first = fact_count > facts.length ? ` (the first ${facts.length} of ${fact_count})` : "";
    return [`${found.act}: done. Facts${first}:`, markData(facts), "Result:", markData(result)];
  },
};
