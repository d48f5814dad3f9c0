// The top bar: the world, its time, and what makes it differ from the service, such as armed faults and overridden
// assumptions.
import { count } from "../platform/count.ts";
import { reach } from "./api.ts";
import { isFindOpen } from "./find.tsx";
import { isHelpOpen } from "./help.tsx";
import { Badge, Button } from "./parts/primitives.tsx";
import { useWorldNow } from "./parts/use-world-now.ts";
import { address, navigate, toHref } from "./router.ts";
import { caller, refreshWorlds, sandbox, selectedWorld, worlds } from "./stores/world.ts";
import { switchTheme, theme } from "./theme.ts";

export function TopBar() {
  return (
    <header class="top">
      <a class="mark" href={toHref("timeline")}>
        Sandbox
      </a>
      <WorldChooser />
      <Clock />
      <Deviations />
      <span class="grow" />
      <Button class="plain" onClick={() => (isFindOpen.value = true)} title="Find anything (s)">
        Find
      </Button>
      <Caller />
      <Connection />
      <Button class="plain" onClick={switchTheme} title="Light, dark, or as the system (d)">
        {{ auto: "Auto", dark: "Dark", light: "Light" }[theme.value]}
      </Button>
      <Button class="plain" onClick={() => (isHelpOpen.value = true)} title="Keys (?)" aria-label="Keys">
        ?
      </Button>
    </header>
  );
}

function WorldChooser() {
  const known = worlds.value.map(({ id }) => id);
  // The address may name a removed world, which must still appear as selected.
  const names = known.includes(selectedWorld.value) ? known : [selectedWorld.value, ...known];
  const choose = (event: Event) => {
    const world = (event.currentTarget as HTMLSelectElement).value;
    navigate(toHref(address.peek().screen, [], { world: world === "default" ? undefined : world }));
  };
  return (
    <select
      class="world"
      aria-label="World"
      value={selectedWorld.value}
      onFocus={() => void refreshWorlds()}
      onChange={choose}
    >
      {names.map((id) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </select>
  );
}

function Clock() {
  const described = sandbox.value;
  const now = useWorldNow();
  if (!described) return null;
  const runs = described.mode === "running";
  return (
    <a class="clock" href={toHref("clock")} title={`The world's clock, ${runs ? "running with real time" : "held"}`}>
      <time dateTime={now}>
        {now.slice(0, 10)}{" "}
        <strong>
          {now.slice(11, 16)}
          <span class="fine">{now.slice(16, 19)}</span>
        </strong>{" "}
        UTC
      </time>
      <Badge tone={runs ? "info" : "quiet"}>{runs ? "running" : "held"}</Badge>
    </a>
  );
}

/** Badges for what makes this world differ from a new one: armed faults and overridden assumptions. */
function Deviations() {
  const { faults = 0, flips = [] } = sandbox.value ?? {};
  return (
    <>
      {faults > 0 && (
        <a href={toHref("faults")} title="Requests fail on purpose">
          <Badge tone="bad">{count(faults, "fault")} armed</Badge>
        </a>
      )}
      {flips.length > 0 && (
        <a href={toHref("assumptions")} title={flips.join("\n")}>
          <Badge tone="warn">{count(flips.length, "override")}</Badge>
        </a>
      )}
    </>
  );
}

/** The user and role, if several users share the sandbox. */
function Caller() {
  const { team, role, subject } = caller.value ?? { team: null };
  if (team === null) return null;
  const title =
    role === "viewer" ? `${subject} may look, and change nothing` : `${subject} is ${role} in the team ${team}`;
  return (
    <span class="caller" title={title}>
      {team} <Badge tone="quiet">{role}</Badge>
    </span>
  );
}

const STATES = { unknown: "connecting", there: "live", away: "no answer", locked: "locked" } as const;

function Connection() {
  const state = reach.value;
  return (
    <span class={`connection ${state}`} role="status">
      {STATES[state]}
    </span>
  );
}
