// A list of which only the visible part is in the document. It follows its end
// unless it was scrolled up, and does not move when items are added above.
import {
  elementScroll, observeElementOffset, observeElementRect, Virtualizer,
} from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

interface Props<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  render: (item: T) => ComponentChildren;
  label: string;
  /** Called while the first or the last items are near. */
  onStart: () => void;
  onEnd: () => void;
  /** Whether the list ends with what is newest, so that its end is followed. */
  atEnd: boolean;
  onFollow: (following: boolean) => void;
  /** The key of an item to scroll to, and a number that changes with each wish. */
  target: { key: string; row: string; wish: number } | undefined;
  /** Changes if the end is to be followed again. */
  end: number;
}

const NEAR_END = 48;
const NEAR_START = 1_200;
const FRAMES_TO_SETTLE = 8;

/** How far a row is below the beginning of the item that it is in. */
function offsetIn(box: HTMLElement, index: number, row: string): number {
  const item = box.querySelector(`[data-index="${index}"]`);
  const inner = item?.querySelector(`[data-row="${CSS.escape(row)}"]`);
  if (!item || !inner) return 0;
  // Space above shows that the row is within another one.
  const offset = inner.getBoundingClientRect().top - item.getBoundingClientRect().top;
  return offset < 24 ? 0 : offset - 16;
}

export function VirtualList<T>(props: Props<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  /** Where the end was when it was last followed. */
  const followed = useRef(0);
  const toEnd = (box: HTMLElement) => {
    box.scrollTop = box.scrollHeight;
    followed.current = box.scrollTop;
  };
  const anchor = useRef<{ key: string; offset: number } | undefined>(undefined);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const { items, keyOf } = props;
  // The virtualizer corrects for rows that are measured, but knows only the position that the
  // last scroll event told: set to that, what was scrolled since would be undone.
  const scrollToFn: typeof elementScroll = (offset, how, to) => {
    if (following.current) return;
    if (how.adjustments && scroller.current) scroller.current.scrollTop += how.adjustments;
    else elementScroll(offset, how, to);
  };
  const options = {
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 64,
    getItemKey: (index: number) => (items[index] ? keyOf(items[index]) : index),
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn,
    onChange: redraw as () => void,
  };
  const [list] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  const setAnchor = (box: HTMLElement) => {
    const top = list.getVirtualItemForOffset(box.scrollTop);
    if (top) anchor.current = { key: String(top.key), offset: top.start - box.scrollTop };
    return top;
  };
  const firstKey = items[0] && keyOf(items[0]);
  const lastFirst = useRef(firstKey);
  // While the list still has the old items: the event of the last scroll may be still to come.
  if (scroller.current && lastFirst.current !== firstKey) setAnchor(scroller.current);
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), []);
  useLayoutEffect(() => list._willUpdate());

  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    // Something was added or dropped above: what was looked at stays in place.
    if (lastFirst.current !== firstKey && anchor.current && !following.current) {
      const index = items.findIndex((item) => keyOf(item) === anchor.current!.key);
      const start = list.measurementsCache[index]?.start;
      if (start !== undefined) box.scrollTop = start - anchor.current.offset;
    }
    lastFirst.current = firstKey;
    // If it was scrolled up a moment ago, the event that says so is still to come.
    const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
    const isLeft = box.scrollTop < followed.current - 1 && rest > NEAR_END;
    if (following.current && props.atEnd && !isLeft) toEnd(box);
  });

  const latest = useRef(items);
  latest.current = items;
  useLayoutEffect(() => {
    const key = props.target?.key;
    if (key === undefined) return;
    following.current = false;
    props.onFollow(false);
    // Rows get their real heights while they are drawn, so it takes some frames.
    let frames = 0;
    const move = () => {
      const index = latest.current.findIndex((item) => keyOf(item) === key);
      const start = list.measurementsCache[index]?.start;
      const box = scroller.current;
      if (start !== undefined && box) box.scrollTop = start + offsetIn(box, index, props.target!.row);
      if (++frames < FRAMES_TO_SETTLE) requestAnimationFrame(move);
    };
    move();
  }, [props.target?.wish]);

  useLayoutEffect(() => {
    following.current = true;
    props.onFollow(true);
    if (scroller.current) toEnd(scroller.current);
  }, [props.end]);

  const onScroll = () => {
    const box = scroller.current!;
    const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
    const follows = rest < NEAR_END && props.atEnd;
    if (follows !== following.current) {
      following.current = follows;
      props.onFollow(follows);
    }
    if (box.scrollTop < NEAR_START) props.onStart();
    if (rest < NEAR_START && !props.atEnd) props.onEnd();
    const top = setAnchor(box);
    if (top) box.dataset.first = String(top.key).replace("run ", "");
  };

  return (
    <div class="virtual" ref={scroller} onScroll={onScroll} tabIndex={0} role="group" aria-label={props.label}>
      <div class="virtual-space" style={{ height: `${list.getTotalSize()}px` }}>
        {list.getVirtualItems().map((row) => {
          const item = items[row.index];
          return (
            item !== undefined && (
              <div key={row.key} class="virtual-row" data-index={row.index} ref={list.measureElement}
                style={{ transform: `translateY(${row.start}px)` }}>
                {props.render(item)}
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}
