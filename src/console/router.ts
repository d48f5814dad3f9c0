// What is shown is what the address says: /_sandbox/ui/<screen>/<rest…>?world=…&…, so that an address can be kept or sent as a report.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { BASE } from "./home.ts";

/** The screen without a path. */
const DEFAULT_SCREEN = "timeline";

/** `rest`: what follows the screen, such as a collection and an id. */
interface Address {
  screen: string;
  rest: readonly string[];
  query: Readonly<Record<string, string>>;
}

/** An address is typed or cut off by people: what is not well encoded is taken as it is. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseAddress({ pathname, search }: Pick<Location, "pathname" | "search">): Address {
  const [screen = "", ...rest] = pathname.slice(BASE.length).split("/").filter(Boolean).map(decodeText);
  return { screen: screen || DEFAULT_SCREEN, rest, query: Object.fromEntries(new URLSearchParams(search)) };
}

export const address = signal<Address>(parseAddress(location));

/** The world that every request names. */
export const worldId: ReadonlySignal<string> = computed(() => address.value.query.world ?? "default");

/** "" where the address has none. */
export const getQuery = (name: string): string => address.value.query[name] ?? "";

type Changes = Readonly<Record<string, string | undefined>>;

function buildAddress(screen: string, rest: readonly string[], members: Changes): string {
  // Empty members only make an address longer.
  const named = Object.entries(members).filter((each): each is [string, string] => Boolean(each[1]));
  const search = new URLSearchParams(named).toString();
  const path = [BASE, screen, ...rest.map(encodeURIComponent)].join("/");
  return search ? `${path}?${search}` : path;
}

/** The address of a screen in the same world, or in another when `members` names it. */
export const toHref = (screen: string, rest: readonly string[] = [], members: Changes = {}): string =>
  buildAddress(screen, rest, { world: address.value.query.world, ...members });

/** A step that the back button takes back. */
export function navigate(target: string): void {
  history.pushState(null, "", target);
  address.value = parseAddress(location);
}

/** Changes members of the query; undefined or "" removes one. The way back stays as it was. */
export function setQuery(changes: Changes): void {
  const { screen, rest, query: before } = address.value;
  history.replaceState(null, "", buildAddress(screen, rest, { ...before, ...changes }));
  address.value = parseAddress(location);
}

/** Of a member that is a list: its items, and one of them put in or taken out. */
export const getQueryList = (name: string): readonly string[] => getQuery(name).split(",").filter(Boolean);

export function toggleQueryItem(name: string, item: string): void {
  const next = new Set(getQueryList(name));
  if (!next.delete(item)) next.add(item);
  setQuery({ [name]: [...next].join(",") });
}

/** Links of the console change the screen and load nothing. */
export function followLinks(): void {
  addEventListener("popstate", () => {
    address.value = parseAddress(location);
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
    navigate(link.href);
  });
}
