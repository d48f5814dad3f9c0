// A virtual list: only the visible lines are in the page. All lines have the same height and one link or button,
// between which the keyboard moves. The list can follow lines that are added at its end.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys.ts";
import { Button } from "./primitives.tsx";

/** Lines rendered beyond each edge, so that fast scrolling shows no gap. */
const OVERSCAN_LINES = 8;

interface WindowListProps<T> {
  /** The label for screen readers. */
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string | number;
  /** Renders one line. Its first link or button can be focused. */
  line: (item: T) => ComponentChildren;
  /** Scrolls along with lines that are added at the end, until the user scrolls away. */
  follow?: boolean;
  /** Keys that act on the focused line. */
  keys?: Readonly<Record<string, { help: string; run: (item: T) => void }>>;
  empty?: ComponentChildren;
  /** A class of the list. With `tall`, its lines have two rows on a phone. */
  look?: string;
}

export function WindowList<T>({
  label,
  items,
  keyOf,
  line,
  follow = false,
  keys = {},
  empty,
  look = "",
}: WindowListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [{ from, lines, atEnd, lineHeight }, setRange] = useState(INITIAL_RANGE);
  const updateRange = () => {
    const next = measureRange(box.current as HTMLDivElement);
    setRange((before) => (isSameRange(before, next) ? before : next));
  };
  const toEnd = () => box.current?.scrollTo(0, box.current.scrollHeight);
  // The list scrolls along only if it was at the end before lines were added.
  const keepAtEnd = () => follow && atEnd && toEnd();
  const resized = useRef(updateRange);
  resized.current = () => {
    keepAtEnd();
    updateRange();
  };
  useLayoutEffect(() => {
    // A box that grows has space for more lines.
    const watch = new ResizeObserver(() => resized.current());
    watch.observe(box.current as HTMLDivElement);
    return () => watch.disconnect();
  }, []);
  // A layout effect scrolls before the paint, so that the list does not jump.
  useLayoutEffect(() => void keepAtEnd(), [items.length]);
  const focus = useFocus({ box, items, keyOf, lineHeight });
  useKeys({
    ...focus.keys,
    ...Object.fromEntries(
      Object.entries(keys).map(([key, { help, run }]) => [key, { help, run: () => focus.withItem(run) }]),
    ),
    ...(follow ? { ".": { help: "go to the newest, and follow", run: toEnd } } : {}),
  });

  // A list that follows renders its last lines even before it is scrolled to the end.
  const top = follow && atEnd ? Math.max(0, items.length - lines) : from;
  const first = Math.max(0, top - OVERSCAN_LINES);
  const visible = items.slice(first, top + lines + OVERSCAN_LINES);
  return (
    <div class={`list-frame ${look}`}>
      <div class="list" ref={box} onScroll={updateRange} tabIndex={items.length === 0 ? 0 : -1} onFocusIn={focus.track}>
        {items.length === 0 ? (
          empty
        ) : (
          <ol aria-label={label} style={{ height: `${items.length * lineHeight}px` }}>
            {visible.map((item, offset) => (
              <li
                key={keyOf(item)}
                data-index={first + offset}
                aria-posinset={first + offset + 1}
                aria-setsize={items.length}
                style={{ top: `${(first + offset) * lineHeight}px` }}
              >
                {line(item)}
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

/** The visible lines: the index of the first, how many fit, and their height in pixels. */
const INITIAL_RANGE = { from: 0, lines: 24, atEnd: true, lineHeight: 28 };
type VisibleRange = typeof INITIAL_RANGE;

/** The style sheet sets the height of a line, which depends on the width of the page. */
function measureRange(box: HTMLDivElement): VisibleRange {
  const { scrollTop, clientHeight, scrollHeight } = box;
  const lineHeight = Number.parseInt(getComputedStyle(box).getPropertyValue("--line-height"), 10);
  return {
    from: Math.floor(scrollTop / lineHeight),
    lines: Math.ceil(clientHeight / lineHeight) + 1,
    atEnd: scrollHeight - scrollTop - clientHeight < lineHeight,
    lineHeight,
  };
}

const isSameRange = (one: VisibleRange, other: VisibleRange): boolean =>
  Object.values(one).join() === Object.values(other).join();

interface FocusOptions<T> extends Pick<WindowListProps<T>, "items" | "keyOf"> {
  box: { current: HTMLDivElement | null };
  lineHeight: number;
}

/** Moves the focus between lines. A line outside the page is scrolled into view first. */
function useFocus<T>({ box, items, keyOf, lineHeight }: FocusOptions<T>) {
  // The key, not the index, identifies the focused line, because lines before it may be added or removed.
  const lastKey = useRef<string | number | undefined>(undefined);
  const rememberFocus = (item: T | undefined) => {
    if (item !== undefined) lastKey.current = keyOf(item);
  };
  const findFocusedIndex = () => items.findIndex((item) => keyOf(item) === lastKey.current);
  const pendingIndex = useRef<number | undefined>(undefined);
  const focusPending = () => {
    const target = pendingIndex.current;
    const found = box.current?.querySelector<HTMLElement>(`li[data-index="${target}"] :is(a, button)`);
    if (!found) return;
    pendingIndex.current = undefined;
    found.focus({ preventScroll: true });
  };
  // A render may have added the line that waits for the focus.
  useEffect(focusPending);
  const moveTo = (index: number) => {
    const target = Math.max(0, Math.min(items.length - 1, index));
    // The line is remembered even if it has left the page.
    rememberFocus(items[target]);
    pendingIndex.current = target;
    const list = box.current as HTMLDivElement;
    const [top, lowest] = [target * lineHeight, (target + 1) * lineHeight - list.clientHeight];
    list.scrollTop = Math.min(top, Math.max(lowest, list.scrollTop));
    // A line in the page is focused immediately, because Enter may be pressed before the next frame.
    focusPending();
    requestAnimationFrame(focusPending);
  };
  const countPageLines = () => Math.floor((box.current?.clientHeight ?? 0) / lineHeight) - 1;
  /** Returns a key handler. Movement starts at the visible lines if no line has the focus. */
  const createMove = (by: number) => () => {
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
    track: (event: FocusEvent) => {
      const item = (event.target as Element).closest("li[data-index]");
      if (item) rememberFocus(items[Number(item.getAttribute("data-index"))]);
    },
    keys: {
      j: { help: "next line", run: createMove(1) },
      k: { help: "line before", run: createMove(-1) },
      ArrowDown: { run: createMove(1) },
      ArrowUp: { run: createMove(-1) },
      PageDown: { run: () => moveTo(Math.max(0, findFocusedIndex()) + countPageLines()) },
      PageUp: { run: () => moveTo(findFocusedIndex() - countPageLines()) },
      Home: { run: () => moveTo(0) },
      End: { run: () => moveTo(items.length - 1) },
    },
  };
}
