// Keyboard shortcuts. Each component registers its keys; the one that was added last takes precedence. "g t" is a
// sequence. Keys are characters of the layout.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Key {
  /** The description in the help dialog. A key without one is not listed. */
  help?: string;
  run: (event: KeyboardEvent) => void;
}
type Keys = Readonly<Record<string, Key>>;

/** The dialog of the frame that is open. */
export const openDialog = signal<"find" | "keys" | "">("");

const layers = signal<readonly { current: Keys }[]>([]);
/** The longest time between the two keys of a sequence. */
const SEQUENCE_MS = 1200;

/** Registers keys while the component is on the page. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys);
  // Every render updates the layer, so that a key acts on what is visible.
  layer.current = keys;
  // A layout effect runs before the first paint, so the keys work as soon as the component is visible.
  useLayoutEffect(() => {
    layers.value = [...layers.peek(), layer];
    return () => {
      layers.value = layers.peek().filter((each) => each !== layer);
    };
  }, []);
}

/** Lists the active keys with their descriptions, for the help dialog. */
export function listKeys(): [key: string, help: string][] {
  const known = new Map<string, string>();
  for (const { current } of layers.value)
    for (const [name, { help }] of Object.entries(current)) if (help) known.set(name, help);
  return [...known];
}

/** Elements in which letters are typed as text. */
const TEXT_INPUTS =
  "input:not([type=checkbox],[type=radio],[type=range],[type=button]), textarea, select, [contenteditable]";

/** Starts to listen for keys. Called once for the page. */
export function listenForKeys(): void {
  let firstKey = "";
  let firstKeyAt = 0;
  addEventListener("keydown", (event) => {
    // The browser handles these combinations.
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target instanceof Element ? event.target : null;
    if (event.key !== "Escape" && target?.closest(TEXT_INPUTS)) return;
    // Keys must not act on components behind an open dialog.
    if (target?.closest("dialog[open]")) return;
    const sequence = firstKey && event.timeStamp - firstKeyAt < SEQUENCE_MS ? `${firstKey} ${event.key}` : event.key;
    // "g t" takes precedence over a single "t".
    const key = findKey(sequence) ?? findKey(event.key);
    firstKey = key ? "" : event.key;
    firstKeyAt = event.timeStamp;
    if (!key || isHandledByElement(event.key, target)) return;
    event.preventDefault();
    key.run(event);
  });
}

/** Returns true if the focused element handles the key itself: Enter on a button, arrows on a slider. */
function isHandledByElement(key: string, target: Element | null): boolean {
  const owners =
    key === "Enter" ? "button, a, summary" : /^(Arrow|Page|Home|End)/.test(key) ? "[type=radio], [type=range]" : "";
  return owners !== "" && target !== null && target.closest(owners) !== null;
}

function findKey(name: string): Key | undefined {
  // The component that was added last takes precedence, such as a list over the frame.
  for (const { current } of layers.peek().toReversed()) if (current[name]) return current[name];
  return undefined;
}
