// The top bar: the world, its time, what makes it differ from the service, such as armed faults, and the colour theme.
import { signal } from "@preact/signals";
import { useReducer } from "preact/hooks";
import { count } from "../platform/count.ts";
import { reach, read } from "./api.ts";
import { openDialog } from "./keys.ts";
import { Badge, Button } from "./parts/primitives.tsx";
import { useQuery } from "./query.ts";
import { address, navigate, toHref } from "./router.ts";
import { caller, sandbox, selectedWorld, useWorldNow } from "./store.ts";

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
      <Button class="plain" onClick={() => (openDialog.value = "find")} title="Find anything (s)">
        Find
      </Button>
      <Caller />
      <span class={`connection ${reach.value}`} role="status">
        {{ unknown: "connecting", there: "live", away: "no answer", locked: "locked" }[reach.value]}
      </span>
      <Button class="plain" onClick={switchTheme} title="Light, dark, or as the system (d)">
        {THEMES[theme.value].label}
      </Button>
      <Button class="plain" onClick={() => (openDialog.value = "keys")} title="Keys (?)" aria-label="Keys">
        ?
      </Button>
    </header>
  );
}

function WorldChooser() {
  // The list is loaded when the user needs it, because a program may make many worlds.
  const [focusCount, countFocus] = useReducer((times: number) => times + 1, 0);
  const { data } = useQuery([focusCount], () => read("/_sandbox/worlds"));
  // The address may name a removed world, which must still appear as selected.
  const names = new Set([selectedWorld.value, ...(data?.items ?? []).map(({ id }) => id)]);
  return (
    <select
      class="world"
      aria-label="World"
      value={selectedWorld.value}
      onFocus={countFocus}
      onChange={({ currentTarget: { value } }) =>
        navigate(toHref(address.peek().screen, [], { world: value === "default" ? undefined : value }))
      }
    >
      {[...names].map((id) => (
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
      </time>{" "}
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

/** The colour themes, each with the one that follows it when the button is pressed. The browser stores the choice. */
const THEMES = {
  auto: { label: "Auto", next: "dark" },
  dark: { label: "Dark", next: "light" },
  light: { label: "Light", next: "auto" },
} as const;
type Theme = keyof typeof THEMES;
const STORAGE_KEY = "sandbox-console-theme";

const theme = signal<Theme>("auto");

function setTheme(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset.theme = next;
}

export function initTheme(): void {
  try {
    const stored = localStorage.getItem(STORAGE_KEY) ?? "";
    setTheme(stored in THEMES ? (stored as Theme) : "auto");
  } catch {
    // A browser without storage keeps the theme until the page is closed.
    setTheme("auto");
  }
}

export function switchTheme(): void {
  setTheme(THEMES[theme.value].next);
  try {
    localStorage.setItem(STORAGE_KEY, theme.value);
  } catch {
    // As above.
  }
}
