// The keyboard: what each key does now, by the parts that are on the page; the part that was added last answers first. Keys are those of the
// layout ("?" and "/" are typed as usual); "g t" is one after the other.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Key {
  /** What it does, for the help; without a text it is not shown there. */
  help?: string;
  run: (event: KeyboardEvent) => void;
}
type Keys = Readonly<Record<string, Key>>;

const layers = signal<readonly { current: Keys }[]>([]);
/** Between the two keys of a sequence. */
const SEQUENCE_MS = 1200;

/** While the component is on the page, its keys hold. */
export function useKeys(keys: Keys): void {
  const layer = useRef(keys);
  // With each drawing, so that a key acts on what is shown now.
  layer.current = keys;
  // Before it is drawn: whoever sees the part may press at once.
  useLayoutEffect(() => {
    layers.value = [...layers.peek(), layer];
    return () => {
      layers.value = layers.peek().filter((each) => each !== layer);
    };
  }, []);
}

/** For the help: each key with what it does now. */
export function listKeys(): [key: string, help: string][] {
  const known = new Map<string, string>();
  for (const { current } of layers.value)
    for (const [name, { help }] of Object.entries(current)) if (help) known.set(name, help);
  return [...known];
}

/** Where letters are text. */
const TEXT_INPUTS =
  "input:not([type=checkbox],[type=radio],[type=range],[type=button]), textarea, select, [contenteditable]";

/** Once for the whole page. */
export function listenForKeys(): void {
  let firstKey = "";
  let firstKeyAt = 0;
  addEventListener("keydown", (event) => {
    // Those are the browser's own.
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target instanceof Element ? event.target : null;
    if (event.key !== "Escape" && target?.closest(TEXT_INPUTS)) return;
    // What is behind a dialog can't be reached.
    if (target?.closest("dialog[open]")) return;
    const sequence = firstKey && event.timeStamp - firstKeyAt < SEQUENCE_MS ? `${firstKey} ${event.key}` : event.key;
    // "g t" first; a lone "t" after a "g" that leads nowhere is itself.
    const key = findKey(sequence) ?? findKey(event.key);
    firstKey = key ? "" : event.key;
    firstKeyAt = event.timeStamp;
    if (!key || isHandledByElement(event.key, target)) return;
    event.preventDefault();
    key.run(event);
  });
}

/** Enter on a button or a link is theirs, and the arrows are those of a choice or a slider. */
function isHandledByElement(key: string, target: Element | null): boolean {
  const owners =
    key === "Enter" ? "button, a, summary" : /^(Arrow|Page|Home|End)/.test(key) ? "[type=radio], [type=range]" : "";
  return owners !== "" && target !== null && target.closest(owners) !== null;
}

function findKey(name: string): Key | undefined {
  // A dialog or a list answers before the frame.
  for (const { current } of layers.peek().toReversed()) if (current[name]) return current[name];
  return undefined;
}
