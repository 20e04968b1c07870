import { type ComponentChildren, type JSX, useEffect, useRef, useState } from "./preact.ts";

/** Rows above and below those in sight that are kept, so that scrolling shows no gaps. */
const margin = 8;

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly onOpen: (index: number) => void;
  readonly onToggle?: ((index: number) => void) | undefined;
  readonly isSelected?: ((index: number) => boolean) | undefined;
  /** Called when the end comes into sight. */
  readonly onEnd: () => void;
}

/** A list of any length of which only the rows in sight are in the document; arrows, j and k move in it. */
export function VirtualList(props: VirtualListProps): JSX.Element {
  const { label, count, rowHeight, row, onOpen, onToggle, isSelected, onEnd } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(0);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + margin);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  useEffect(() => {
    if (last >= count) onEnd();
  }, [last, count, onEnd]);

  const move = (to: number): void => {
    const index = Math.min(count - 1, Math.max(0, to));
    setActive(index);
    const element = box.current;
    if (element === null) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: page,
      PageUp: -page,
    };
    const step = steps[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step !== undefined) move(active + step);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(count - 1);
    else if (event.key === "Enter" && count > 0) onOpen(active);
    else if ((event.key === " " || event.key === "x") && onToggle !== undefined && count > 0) onToggle(active);
    else return;
    event.preventDefault();
  };

  const rows: JSX.Element[] = [];
  for (let index = first; index < last; index++) {
    rows.push(
      <div
        key={index}
        id={`row-${index}`}
        role="option"
        aria-selected={isSelected?.(index) ?? index === active}
        aria-setsize={count}
        aria-posinset={index + 1}
        class={index === active ? "row active" : "row"}
        style={{ height: `${rowHeight}px`, transform: `translateY(${index * rowHeight}px)` }}
        onClick={(event: MouseEvent) => {
          move(index);
          if (onToggle !== undefined && event.target instanceof Element && event.target.closest(".tick") !== null)
            onToggle(index);
          else onOpen(index);
        }}
      >
        {row(index)}
      </div>,
    );
  }
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      aria-label={label}
      aria-multiselectable={onToggle !== undefined}
      aria-activedescendant={count > 0 ? `row-${Math.min(active, count - 1)}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: `${count * rowHeight}px` }} role="presentation">
        {rows}
      </div>
    </div>
  );
}
