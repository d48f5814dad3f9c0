// The address is the state of the console: /_sandbox/ui/<screen>/<rest…>?world=…, so that every view can be bookmarked
// or shared.
import { computed, type ReadonlySignal, signal } from "@preact/signals";

const CONSOLE = "/_sandbox/ui";
/** The path under which an app mounts the sandbox, or "". */
const mount = location.pathname.slice(0, Math.max(0, location.pathname.indexOf(CONSOLE)));
const BASE = mount + CONSOLE;
/** The address of the sandbox. */
export const sandboxUrl = location.origin + mount;

/** The screen of an address without a path. */
const DEFAULT_SCREEN = "timeline";

/** `rest` holds the parts of the path after the screen, such as a collection and an id. */
interface Address {
  screen: string;
  rest: readonly string[];
  query: Readonly<Record<string, string>>;
}

/** What a screen receives: the parts of the path after it. */
export type ScreenProps = Pick<Address, "rest">;

/** Decodes a part of an address. Invalid encoding is returned unchanged, because people edit addresses. */
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

/** The id of the world that every request names. */
export const worldId: ReadonlySignal<string> = computed(() => address.value.query.world ?? "default");

/** Returns a parameter of the address, or "". */
export const getQuery = (name: string): string => address.value.query[name] ?? "";

type Changes = Readonly<Record<string, string | undefined>>;

function buildAddress(screen: string, rest: readonly string[], members: Changes): string {
  // Empty parameters only make the address longer.
  const named = Object.entries(members).filter((each): each is [string, string] => Boolean(each[1]));
  const search = new URLSearchParams(named).toString();
  const path = [BASE, screen, ...rest.map(encodeURIComponent)].join("/");
  return search ? `${path}?${search}` : path;
}

/** Returns the address of a screen, in the current world unless `members` names another. */
export const toHref = (screen: string, rest: readonly string[] = [], members: Changes = {}): string =>
  buildAddress(screen, rest, { world: address.value.query.world, ...members });

/** Opens an address; the back button returns. */
export function navigate(target: string): void {
  history.pushState(null, "", target);
  address.value = parseAddress(location);
}

/** Changes parameters of the address; undefined or "" removes one. Adds no entry to the browser history. */
export function setQuery(changes: Changes): void {
  const { screen, rest, query: before } = address.value;
  history.replaceState(null, "", buildAddress(screen, rest, { ...before, ...changes }));
  address.value = parseAddress(location);
}

/** Returns the items of a parameter that is a list. */
export const getQueryList = (name: string): readonly string[] => getQuery(name).split(",").filter(Boolean);

export function toggleQueryItem(name: string, item: string): void {
  const next = new Set(getQueryList(name));
  if (!next.delete(item)) next.add(item);
  setQuery({ [name]: [...next].join(",") });
}

/** Handles clicks on links of the console without loading a page. */
export function followLinks(): void {
  addEventListener("popstate", () => {
    address.value = parseAddress(location);
  });
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    // The browser opens a new tab or window with these keys.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    // Links that leave the console are left to the browser.
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
    event.preventDefault();
    navigate(link.href);
  });
}
