// A list of any length of which only the lines in sight are in the page: lines of one height, each with one link or button that the
// keyboard moves between (j, k, Home, End, Page Up and Down). It can follow what is added at its end.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys.ts";
import { Button } from "./primitives.tsx";

/** Pixels. */
const LINE_HEIGHT_PX = 28;
const NARROW = matchMedia("(max-width: 620px)");
/** Lines beyond each edge, so that a fast wheel shows no gap. */
const OVERSCAN_LINES = 8;
/** Before the box has been measured. */
const INITIAL_LINES = 24;

/** Only the lines in sight are in the page, so a long list costs no more than a short one. */
interface WindowListProps<T> {
  /** What it is a list of, for readers of the screen. */
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string | number;
  /** One line; its first link or button takes the focus. */
  line: (item: T, index: number) => ComponentChildren;
  /** Stays at the end while lines are added there, until the reader scrolls away. */
  follow?: boolean;
  /** What keys do with the line that has the focus. */
  keys?: Readonly<Record<string, { help: string; run: (item: T) => void }>>;
  empty?: ComponentChildren;
  /** The height of a line on a phone, where it has two rows. */
  narrow?: number;
}

export function WindowList<T>({
  label,
  items,
  keyOf,
  line,
  follow = false,
  keys = {},
  empty,
  narrow = LINE_HEIGHT_PX,
}: WindowListProps<T>) {
  const lineHeight = useMediaQuery(NARROW) ? narrow : LINE_HEIGHT_PX;
  const box = useRef<HTMLDivElement>(null);
  const [{ from, lines, atEnd }, setRange] = useState<VisibleRange>({ from: 0, lines: INITIAL_LINES, atEnd: true });
  const updateRange = () => {
    const next = measureRange(box.current as HTMLDivElement, lineHeight);
    setRange((before) => (isSameRange(before, next) ? before : next));
  };
  const toEnd = () => box.current?.scrollTo(0, box.current.scrollHeight);
  // Only when the reader was at the end before something was added.
  const keepAtEnd = () => follow && atEnd && toEnd();
  const resized = useRef(updateRange);
  resized.current = () => {
    keepAtEnd();
    updateRange();
  };
  useLayoutEffect(() => {
    // A box that grows has room for more lines.
    const watch = new ResizeObserver(() => resized.current());
    watch.observe(box.current as HTMLDivElement);
    return () => watch.disconnect();
  }, []);
  // Before it is drawn, so that nothing jumps.
  useLayoutEffect(() => void keepAtEnd(), [items.length]);
  const focus = useFocus(box, items, keyOf, lineHeight);
  useKeys({
    ...focus.keys,
    ...Object.fromEntries(
      Object.entries(keys).map(([key, { help, run }]) => [key, { help, run: () => focus.withItem(run) }]),
    ),
    ...(follow ? { ".": { help: "go to the newest, and follow", run: toEnd } } : {}),
  });

  // At the end it is drawn before it is scrolled there: the first lines are drawn once.
  const top = follow && atEnd ? Math.max(0, items.length - lines) : from;
  const first = Math.max(0, top - OVERSCAN_LINES);
  const visible = items.slice(first, top + lines + OVERSCAN_LINES);
  return (
    <div class="list-frame">
      <div class="list" ref={box} onScroll={updateRange} tabIndex={items.length === 0 ? 0 : -1} onFocusIn={focus.store}>
        {items.length === 0 ? (
          empty
        ) : (
          <ol
            aria-label={label}
            style={{ height: `${items.length * lineHeight}px`, "--line-height": `${lineHeight}px` }}
          >
            {visible.map((item, offset) => (
              <li
                key={keyOf(item)}
                data-index={first + offset}
                aria-posinset={first + offset + 1}
                aria-setsize={items.length}
                style={{ top: `${(first + offset) * lineHeight}px` }}
              >
                {line(item, first + offset)}
              </li>
            ))}
          </ol>
        )}
      </div>
      {follow && !atEnd && (
        <Button class="to-end" onClick={toEnd}>
          Newest ↓
        </Button>
      )}
    </div>
  );
}

/** The lines in sight: the first of them, and how many have room. */
interface VisibleRange {
  from: number;
  lines: number;
  atEnd: boolean;
}

function measureRange({ scrollTop, clientHeight, scrollHeight }: HTMLDivElement, lineHeight: number): VisibleRange {
  return {
    from: Math.floor(scrollTop / lineHeight),
    lines: Math.ceil(clientHeight / lineHeight) + 1,
    atEnd: scrollHeight - scrollTop - clientHeight < lineHeight,
  };
}

const isSameRange = (one: VisibleRange, other: VisibleRange): boolean =>
  one.from === other.from && one.lines === other.lines && one.atEnd === other.atEnd;

/** Whether the page is so now. */
function useMediaQuery(query: MediaQueryList): boolean {
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const update = () => setMatches(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return matches;
}

/** Moves the focus from line to line; a line that is not in the page yet is scrolled to first. */
function useFocus<T>(
  box: { current: HTMLDivElement | null },
  items: readonly T[],
  keyOf: (item: T) => string | number,
  lineHeight: number,
) {
  // Not its place: lines come and go before it while it has the focus.
  const lastKey = useRef<string | number | undefined>(undefined);
  const rememberFocus = (item: T | undefined) => {
    if (item !== undefined) lastKey.current = keyOf(item);
  };
  const findFocusedIndex = () => items.findIndex((item) => keyOf(item) === lastKey.current);
  const pendingIndex = useRef<number | undefined>(undefined);
  const focusPending = () => {
    const target = pendingIndex.current;
    if (target === undefined) return;
    const found = box.current?.querySelector<HTMLElement>(`li[data-index="${target}"] :is(a, button)`);
    if (!found) return;
    pendingIndex.current = undefined;
    found.focus({ preventScroll: true });
  };
  // After each drawing: the line may be there now.
  useEffect(focusPending);
  const moveTo = (index: number) => {
    const target = Math.max(0, Math.min(items.length - 1, index));
    // Also when the line has scrolled out of the page.
    rememberFocus(items[target]);
    pendingIndex.current = target;
    const list = box.current as HTMLDivElement;
    const top = target * lineHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + lineHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top + lineHeight - list.clientHeight;
    // At once where it is in the page already: Enter may follow before the next frame.
    focusPending();
    requestAnimationFrame(focusPending);
  };
  const countPageLines = () => Math.floor((box.current?.clientHeight ?? 0) / lineHeight) - 1;
  /** The first press begins at what is in sight. */
  const moveBy = (by: number) => () => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    const from = findFocusedIndex();
    if (from >= 0) return moveTo(from + by);
    moveTo(by > 0 ? Math.ceil(scrollTop / lineHeight) : Math.floor((scrollTop + clientHeight) / lineHeight) - 1);
  };
  return {
    withItem: (run: (item: T) => void) => {
      const item = items[findFocusedIndex()];
      if (item !== undefined) run(item);
    },
    store: (event: FocusEvent) => {
      const item = (event.target as Element).closest("li[data-index]");
      if (item) rememberFocus(items[Number(item.getAttribute("data-index"))]);
    },
    keys: {
      j: { help: "next line", run: moveBy(1) },
      k: { help: "line before", run: moveBy(-1) },
      ArrowDown: { run: moveBy(1) },
      ArrowUp: { run: moveBy(-1) },
      PageDown: { run: () => moveTo(Math.max(0, findFocusedIndex()) + countPageLines()) },
      PageUp: { run: () => moveTo(findFocusedIndex() - countPageLines()) },
      Home: { run: () => moveTo(0) },
      End: { run: () => moveTo(items.length - 1) },
    },
  };
}
