// The worlds of this sandbox as a tree of forks, and of the one that is looked at its snapshots and credentials.
import { useState } from "preact/hooks";
import { control, describeError, type Schemas, unwrap } from "../api.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Badge, Button, Empty, Field, Instant, Problem, SubmitButton } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useQuery } from "../query.ts";
import { navigate, toHref, worldId } from "../router.ts";
import { defaultWorld, readWorlds, refreshWorlds, sandbox, selectedWorld, worlds } from "../stores/world.ts";
import { Credentials } from "../worlds/credentials.tsx";
import { Snapshots } from "../worlds/snapshots.tsx";

export function Worlds() {
  const [problem, setProblem] = useState("");
  // The stream tells nothing of other worlds: they are read whenever this one is.
  const known = useQuery([sandbox.value], readWorlds);
  // The list is read again whether it worked or not.
  const run = (work: () => Promise<unknown>) =>
    void work()
      .then(() => setProblem(""))
      .catch((reason) => setProblem(describeError(reason)))
      .finally(() => void refreshWorlds());
  // On each drawing: there are at most some hundreds.
  const all = buildForkTree(worlds.value);
  return (
    <>
      <NewWorld run={run} />
      <Problem text={problem || known.problem} />
      <Table label="Worlds" columns={["World", "Fixture", "Clock", { number: "Bookings" }, { cell: "" }]}>
        {all.map(({ world, depth }) => (
          <WorldRow key={world.id} world={world} depth={depth} run={run} />
        ))}
      </Table>
      {known.data?.length === 0 && <Empty title="There is no world." />}
      <Snapshots key={worldId.value} />
      <Credentials key={`keys of ${worldId.value}`} />
    </>
  );
}

type RunAction = (work: () => Promise<unknown>) => void;

interface RowProps {
  world: Schemas["ListedWorld"];
  depth: number;
  run: RunAction;
}

/** Forks are indented below the world that they were made of. */
function WorldRow({ world: { id, fixture, now, mode, counts, set_aside: quarantined }, depth, run }: RowProps) {
  const params = { path: { worldId: id } };
  const fork = async () => {
    const { items } = await unwrap(control.peek().POST("/_sandbox/worlds/{worldId}/fork", { params, body: {} }));
    // Whoever forks a world wants to see the fork.
    navigate(toHref("worlds", [], { world: items[0]?.id }));
  };
  const remove = async () => {
    await unwrap<unknown>(control.peek().DELETE("/_sandbox/worlds/{worldId}", { params }));
    // The world that is shown is gone.
    if (id === worldId.peek()) navigate(toHref("worlds", [], { world: undefined }));
  };
  const isOpen = id === selectedWorld.value;
  return (
    <tr>
      <th scope="row" class="world-name" style={{ "--depth": depth }}>
        {depth > 0 && <span aria-hidden="true">└ </span>}
        <a
          class="id"
          href={toHref("worlds", [], { world: id === "default" ? undefined : id })}
          aria-current={isOpen || undefined}
        >
          {id}
        </a>{" "}
        {isOpen && <Badge tone="info">shown</Badge>}
      </th>
      <td>{fixture}</td>
      <td>
        {now === undefined ? "not open" : <Instant at={now} />} {mode && <Badge>{mode}</Badge>}{" "}
        {quarantined && (
          <Badge tone="bad" title={quarantined}>
            not served
          </Badge>
        )}
      </td>
      {/* A world that lives on another node, or is not open, has no counts. */}
      <td class="number">{counts?.bookings ?? (counts ? 0 : "")}</td>
      <td class="row-actions">
        <Button class="small-button" onClick={() => run(fork)} aria-label={`Fork ${id}`}>
          Fork
        </Button>{" "}
        {id !== defaultWorld.value && <ConfirmButton label={`Remove ${id}`} onYes={() => run(remove)} />}
      </td>
    </tr>
  );
}

/** Without a name the sandbox gives one. */
function NewWorld({ run }: { run: RunAction }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const id = String(given.get("id") ?? "").trim();
    const body = { ...(id ? { id } : {}), fixture: String(given.get("fixture")) };
    // Whoever makes a world wants to see it.
    run(async () => {
      const made = await unwrap(control.peek().POST("/_sandbox/worlds", { body }));
      navigate(toHref("worlds", [], { world: made.id }));
    });
  };
  return (
    <form class="bar moments" onSubmit={submit}>
      <Field label="New world">
        <input name="id" placeholder="a name, or none" pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" />
      </Field>
      <Field label="Of the fixture">
        <select name="fixture">
          {sandbox.value?.fixtures.map((name) => (
            <option key={name} selected={name === sandbox.value?.fixture}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <SubmitButton>Make it</SubmitButton>
    </form>
  );
}

// Worlds as a tree: each fork below the world that it was copied from.

interface ForkedWorld {
  id: string;
  forked_from?: string;
}

interface WorldNode<T> {
  world: T;
  depth: number;
}

/** A fork whose origin has been removed stands by itself. */
function buildForkTree<T extends ForkedWorld>(worlds: readonly T[]): WorldNode<T>[] {
  const known = new Set(worlds.map(({ id }) => id));
  const below = new Map<string, T[]>();
  for (const world of worlds) {
    const parent = world.forked_from !== undefined && known.has(world.forked_from) ? world.forked_from : "";
    below.set(parent, [...(below.get(parent) ?? []), world]);
  }
  const flattenTree = (parent: string, depth: number): WorldNode<T>[] =>
    (below.get(parent) ?? []).flatMap((world) => [{ world, depth }, ...flattenTree(world.id, depth + 1)]);
  return flattenTree("", 0);
}
