// list_acts, describe_act, act: what the host does, and the API has no operation for.
import type { Schemas } from "../../client/control.ts";
import { perform } from "../../client/control.ts";
import { SandboxError } from "../../client/sandbox-error.ts";
import { findNearest, suggest } from "../../platform/nearest.ts";
import { data } from "../answer.ts";
import { outlineOf } from "../schema-outline.ts";
import { callOf, defineTool, type Session, ToolRejection } from "../tool.ts";
import { formatToolError } from "../tool-error.ts";

type Act = Schemas["Act"];

// The list is the sandbox's own: a newer one may have more acts than this version knows.
const actsOf = async ({ ask }: Session): Promise<Act[]> =>
  (await ask((control) => control.GET("/_sandbox/acts"))).items as Act[];

async function actCalled(name: string | undefined, session: Session): Promise<Act> {
  const acts = await actsOf(session);
  const found = acts.find(({ act: known }) => known === name);
  if (found) return found;
  const names = acts.map(({ act: known }) => known);
  const wrong = name === undefined ? "Which act?" : `There is no act ${JSON.stringify(name)}.${suggest(name, names)}`;
  const meant = name === undefined ? undefined : findNearest(name, names);
  throw new ToolRejection(wrong, [
    ...(meant ? [callOf("describe_act", { act: meant })] : []),
    callOf("list_acts", {}),
    callOf("act", act.example),
  ]);
}

/** A call from the specification's own example; records that the world does not have are its newest ones instead. */
async function exampleOf({ act: name, example }: Act, session: Session): Promise<string> {
  if (example === undefined) return callOf("act", { act: name });
  const { items: collections } = await session.ask((control) => control.GET("/_sandbox/records"));
  const input = await Promise.all(
    Object.entries(example).map(async ([member, value]) => {
      const of = collections.find(({ named_by }) => named_by.includes(member));
      return [member, of && typeof value === "string" ? await inWorld(of.collection, value, session) : value];
    }),
  );
  return callOf("act", { act: name, input: Object.fromEntries(input) });
}

async function inWorld(collection: Schemas["CollectionName"], id: string, { ask }: Session): Promise<string> {
  const one = { path: { collection, id } };
  const newest = { path: { collection }, query: { limit: 1 } };
  try {
    await ask((control) => control.GET("/_sandbox/records/{collection}/{id}", { params: one }));
    return id;
  } catch {
    const list = await ask((control) => control.GET("/_sandbox/records/{collection}", { params: newest }));
    return list.items[0]?.id ?? id;
  }
}

export const listActs = defineTool({
  name: "list_acts",
  title: "List the acts of the host",
  description:
    "What the host can do: cancel a booking, sell at the desk, refund, publish an event. All of it, by name.",
  takes: { about: { description: "Only those with this word, such as booking.", type: "string", maxLength: 60 } },
  example: {},
  async run({ about }, session) {
    const acts = await actsOf(session);
    const wanted = about?.toLowerCase() ?? "";
    const found = acts.filter(({ act: name, summary }) => `${name} ${summary}`.toLowerCase().includes(wanted));
    if (found.length > 0) return found.map(({ act: name, summary }) => `${name}: ${summary}`);
    throw new ToolRejection(`No act is about ${JSON.stringify(about)}.`, [callOf("list_acts", {})]);
  },
});

const actName = {
  description: "The name of an act, such as cancelBooking. Needed.",
  type: "string",
  maxLength: 60,
} as const;

export const describeAct = defineTool({
  name: "describe_act",
  title: "Describe an act",
  description: "What an act does, its input, and a call as an example.",
  takes: { act: actName },
  example: { act: "cancelBooking" },
  async run({ act: name }, session) {
    const found = await actCalled(name, session);
    return [
      `# ${found.act}`,
      found.summary,
      ...(found.description ? [found.description.trim()] : []),
      "",
      "## input",
      ...outlineOf(found.input, {}),
      "",
      "## example",
      await exampleOf(found, session),
    ];
  },
});

export const act = defineTool({
  name: "act",
  title: "Act as the host",
  description: "Does an act in your world, and tells what it changed. Its webhooks are sent.",
  takes: { act: actName, input: { description: "As describe_act shows it.", type: "object" } },
  example: { act: "cancelBooking", input: { booking_id: "bkg-evening" } },
  effect: "changes",
  async run({ act: name, input = {} }, session) {
    const found = await actCalled(name, session);
    const { result, facts, fact_count } = await session
      .ask((control) => perform(control, found.act, input))
      .catch((error) => {
        // What is no answer of the sandbox is worded elsewhere.
        if (!(error instanceof SandboxError)) throw error;
        // The smallest change that works was tried out there; an example may name a record that is in no state for it.
        const works = [callOf("describe_act", { act: found.act }), callOf("why", {})];
        throw new ToolRejection(formatToolError(error, "input"), works, error.code);
      });
    const first = fact_count > facts.length ? `, the first ${facts.length} of ${fact_count} facts` : "";
    return [`${found.act}: done. What has happened${first}:`, data(facts), "The result:", data(result)];
  },
});
