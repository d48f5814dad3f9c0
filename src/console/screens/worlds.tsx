// The worlds screen: all worlds as a tree of forks, and the snapshots and credentials of the shown one.
import { useState } from "preact/hooks";
import { control, forkWorld, read, type Schemas, unwrap } from "../api.ts";
import { ActionButton, ActionForm } from "../parts/actions.tsx";
import { Badge, Button, CopyButton, Field, Instant, Problem, SubmitButton } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useQuery, useRead } from "../query.ts";
import { navigate, toHref, worldId } from "../router.ts";
import { defaultWorld, sandbox, selectedWorld, worldVersion } from "../store.ts";

/** The pattern of the API description finds most mistakes before the request. */
const NAME_PATTERN = "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}";

export function Worlds() {
  // The log does not report other worlds, so the list is reloaded with the current world.
  const { data, problem } = useQuery([sandbox.value, worldVersion.value], () => read("/_sandbox/worlds"));
  return (
    <>
      <NewWorld />
      <Problem text={problem} />
      <Table label="Worlds" columns={["World", "Fixture", "Clock", { number: "Bookings" }, { cell: "" }]}>
        {listForkTree(data?.items ?? []).map(({ world, depth }) => (
          <WorldRow key={world.id} world={world} depth={depth} />
        ))}
      </Table>
      <Snapshots key={worldId.value} />
      <Credentials key={`keys of ${worldId.value}`} />
    </>
  );
}

type World = Schemas["ListedWorld"];
interface WorldNode {
  world: World;
  depth: number;
}

/** Lists each fork below the world that it was copied from. A fork whose origin was removed is a root. */
function listForkTree(worlds: readonly World[]): WorldNode[] {
  const known = new Set(worlds.map(({ id }) => id));
  const getOrigin = ({ forked_from = "" }: World) => (known.has(forked_from) ? forked_from : "");
  const listForks = (origin: string, depth: number): WorldNode[] =>
    worlds
      .filter((world) => getOrigin(world) === origin)
      .flatMap((world) => [{ world, depth }, ...listForks(world.id, depth + 1)]);
  return listForks("", 0);
}

/** A world as a row. Forks are indented below their origin. */
function WorldRow({ world: { id, fixture, now, mode, counts, set_aside: quarantined }, depth }: WorldNode) {
  // The new fork is shown, because the user created it to look at it.
  const fork = async () => navigate(toHref("worlds", [], { world: await forkWorld(id) }));
  const remove = async () => {
    const params = { path: { worldId: id } };
    await unwrap<unknown>(control.peek().DELETE("/_sandbox/worlds/{worldId}", { params }));
    // The removed world was shown, so the default world is shown instead.
    if (id === worldId.peek()) navigate(toHref("worlds", [], { world: undefined }));
  };
  const isOpen = id === selectedWorld.value;
  return (
    <tr>
      <th scope="row" style={{ paddingLeft: `${depth * 24}px` }}>
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
      <td class="number">
        <ActionButton class="small-button" run={fork} label={`Fork ${id}`}>
          Fork
        </ActionButton>{" "}
        {id !== defaultWorld.value && (
          <ActionButton mustConfirm run={remove} label={`Remove ${id}`}>
            Remove
          </ActionButton>
        )}
      </td>
    </tr>
  );
}

/** The form for a new world. The sandbox chooses a name if the field is empty. */
function NewWorld() {
  const create = async ({ id, fixture = "" }: Readonly<Record<string, string>>) => {
    const body = { ...(id ? { id } : {}), fixture };
    const made = await unwrap(control.peek().POST("/_sandbox/worlds", { body }));
    // The new world is shown, because the user created it to look at it.
    navigate(toHref("worlds", [], { world: made.id }));
  };
  return (
    <ActionForm class="bar fields" run={create}>
      <Field label="New world">
        <input name="id" placeholder="optional name" pattern={NAME_PATTERN} />
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
    </ActionForm>
  );
}

/** The snapshots of the shown world: save, restore, remove; and the reset of the world. */
function Snapshots() {
  const { data, problem } = useRead("/_sandbox/snapshots");
  const save = ({ name = "" }: Readonly<Record<string, string>>) =>
    unwrap(control.peek().PUT("/_sandbox/snapshots/{name}", { params: { path: { name } } }));
  return (
    <section class="panel stack" aria-label="Snapshots">
      <div class="bar">
        <h2 class="grow">Snapshots of {worldId.value}</h2>
        <ActionButton
          mustConfirm
          label="Reset the world to its beginning"
          run={() => unwrap(control.peek().POST("/_sandbox/state/reset"))}
        >
          Reset the world
        </ActionButton>
      </div>
      <ActionForm class="bar fields" run={save}>
        <Field label="Save snapshot">
          <input name="name" required pattern={NAME_PATTERN} placeholder="name" />
        </Field>
        <button type="submit">Save</button>
      </ActionForm>
      <Problem text={problem} />
      {data && data.items.length > 0 && (
        <Table label="Saved" look="" columns={["Name", "World’s time", "Saved, real time", { cell: "" }]}>
          {data.items.map((snapshot) => (
            <SnapshotRow key={snapshot.name} {...snapshot} />
          ))}
        </Table>
      )}
    </section>
  );
}

/** Users remember the real time; the world's clock may be stopped for days. */
function SnapshotRow({ name, now, saved_at }: Schemas["SnapshotList"]["items"][number]) {
  const params = { params: { path: { name } } };
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <Instant at={now} seconds />
      </td>
      <td>
        <Instant at={saved_at} seconds />
      </td>
      <td class="number">
        <a href={toHref("compare", [], { from: name })}>Compare with now</a>{" "}
        <ActionButton
          mustConfirm
          label={`Restore ${name}`}
          run={() => unwrap(control.peek().POST("/_sandbox/snapshots/{name}/restore", params))}
        >
          Restore
        </ActionButton>{" "}
        <ActionButton
          mustConfirm
          label={`Remove ${name}`}
          run={() => unwrap(control.peek().DELETE("/_sandbox/snapshots/{name}", params))}
        >
          Remove
        </ActionButton>
      </td>
    </tr>
  );
}

/** The credentials of the shown world. Secrets are loaded only on request, and kept only while the screen is open. */
function Credentials() {
  const [items, setItems] = useState<Schemas["CredentialList"]["items"] | undefined>(undefined);
  const show = async () => {
    const path = { worldId: worldId.peek() };
    setItems((await read("/_sandbox/worlds/{worldId}/credentials", { path })).items);
  };
  return (
    <section class="panel stack" aria-label="Credentials">
      <h2>Credentials of {worldId.value}</h2>
      {items?.map(({ client_id: id, client_secret: secret, name, scopes }) => (
        <div key={id} class="bar">
          <strong>{name}</strong>
          <code>{id}</code>
          <code>{secret}</code>
          <CopyButton text={() => `SANDBOX_CLIENT_ID=${id}\nSANDBOX_CLIENT_SECRET=${secret}\n`}>
            Copy as environment
          </CopyButton>
          <span class="quiet small">{scopes.join(" ")}</span>
        </div>
      ))}
      <p>
        {items ? (
          <Button onClick={() => setItems(undefined)}>Hide secrets</Button>
        ) : (
          <ActionButton run={show}>Show secrets</ActionButton>
        )}
      </p>
    </section>
  );
}
