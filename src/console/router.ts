// What is shown is what the address says: /_sandbox/ui/<screen>/<rest…>?world=…&…, so that an address can be kept or sent as a report.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { BASE } from "./home.ts";

/** The screen without a path. */
const FIRST = "timeline";

/** `rest`: what follows the screen, such as a collection and an id. */
interface Address {
  screen: string;
  rest: readonly string[];
  query: Readonly<Record<string, string>>;
}

/** An address is typed or cut off by people: what is not well encoded is taken as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function read({ pathname, search }: Pick<Location, "pathname" | "search">): Address {
  const [screen = "", ...rest] = pathname.slice(BASE.length).split("/").filter(Boolean).map(decoded);
  return { screen: screen || FIRST, rest, query: Object.fromEntries(new URLSearchParams(search)) };
}

export const address = signal<Address>(read(location));

/** The world that every request names. */
export const worldId: ReadonlySignal<string> = computed(() => address.value.query.world ?? "default");

/** "" where the address has none. */
export const query = (name: string): string => address.value.query[name] ?? "";

type Changes = Readonly<Record<string, string | undefined>>;

function written(screen: string, rest: readonly string[], members: Changes): string {
  // Empty members only make an address longer.
  const named = Object.entries(members).filter((each): each is [string, string] => Boolean(each[1]));
  const search = new URLSearchParams(named).toString();
  const path = [BASE, screen, ...rest.map(encodeURIComponent)].join("/");
  return search ? `${path}?${search}` : path;
}

/** The address of a screen in the same world, or in another when `members` names it. */
export const href = (screen: string, rest: readonly string[] = [], members: Changes = {}): string =>
  written(screen, rest, { world: address.value.query.world, ...members });

/** A step that the back button takes back. */
export function go(target: string): void {
  history.pushState(null, "", target);
  address.value = read(location);
}

/** Changes members of the query; undefined or "" removes one. The way back stays as it was. */
export function setQuery(changes: Changes): void {
  const { screen, rest, query: before } = address.value;
  history.replaceState(null, "", written(screen, rest, { ...before, ...changes }));
  address.value = read(location);
}

/** Of a member that is a list: its items, and one of them put in or taken out. */
export const listIn = (name: string): readonly string[] => query(name).split(",").filter(Boolean);

export function toggleIn(name: string, item: string): void {
  const next = new Set(listIn(name));
  if (!next.delete(item)) next.add(item);
  setQuery({ [name]: [...next].join(",") });
}

/** Links of the console change the screen and load nothing. */
export function followLinks(): void {
  addEventListener("popstate", () => {
    address.value = read(location);
  });
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    // The browser opens a tab or a window by these.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    // Only links of the console itself.
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
    event.preventDefault();
    go(link.href);
  });
}
