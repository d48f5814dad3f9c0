// The worlds screen: all worlds as a tree of forks, and the snapshots and credentials of the shown one.
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
  // The stream does not report other worlds, so the list is reloaded with the current world.
  const known = useQuery([sandbox.value], readWorlds);
  // The list is reloaded after failures too.
  const run = (work: () => Promise<unknown>) =>
    void work()
      .then(() => setProblem(""))
      .catch((reason) => setProblem(describeError(reason)))
      .finally(() => void refreshWorlds());
  // The tree is built on each render, which is fast for a few hundred worlds.
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
      {known.data?.length === 0 && <Empty title="No worlds yet." />}
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

/** A world as a row. Forks are indented below their origin. */
function WorldRow({ world: { id, fixture, now, mode, counts, set_aside: quarantined }, depth, run }: RowProps) {
  const params = { path: { worldId: id } };
  const fork = async () => {
    const { items } = await unwrap(control.peek().POST("/_sandbox/worlds/{worldId}/fork", { params, body: {} }));
    // The new fork is shown, because the user created it to look at it.
    navigate(toHref("worlds", [], { world: items[0]?.id }));
  };
  const remove = async () => {
    await unwrap<unknown>(control.peek().DELETE("/_sandbox/worlds/{worldId}", { params }));
    // The removed world was shown, so the default world is shown instead.
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
      {/* A world on another node, or one that is not open, has no counts. */}
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

/** The form for a new world. The sandbox chooses a name if the field is empty. */
function NewWorld({ run }: { run: RunAction }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const id = String(given.get("id") ?? "").trim();
    const body = { ...(id ? { id } : {}), fixture: String(given.get("fixture")) };
    // The new world is shown, because the user created it to look at it.
    run(async () => {
      const made = await unwrap(control.peek().POST("/_sandbox/worlds", { body }));
      navigate(toHref("worlds", [], { world: made.id }));
    });
  };
  return (
    <form class="bar moments" onSubmit={submit}>
      <Field label="New world">
        <input name="id" placeholder="optional name" pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" />
      </Field>
      <Field label="Fixture">
        <select name="fixture">
          {sandbox.value?.fixtures.map((name) => (
            <option key={name} selected={name === sandbox.value?.fixture}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <SubmitButton>Create world</SubmitButton>
    </form>
  );
}

// The tree of worlds: each fork is below the world that it was copied from.

interface ForkedWorld {
  id: string;
  forked_from?: string;
}

interface WorldNode<T> {
  world: T;
  depth: number;
}

/** Builds the tree of forks. A fork whose origin was removed is a root. */
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
