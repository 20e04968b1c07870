import type { JSX } from "./preact.ts";

const size = { width: 64, height: 18 };

/** A small line of values over time. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly number[];
  readonly label: string;
}): JSX.Element {
  const most = Math.max(...values, 0);
  const step = size.width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(size.height - 1 - (value / most) * (size.height - 3)).toFixed(1)}`,
  );
  const [first = 0] = values;
  const last = values.at(-1) ?? 0;
  const trend = last > first ? "rising" : last < first ? "falling" : "steady";
  return (
    <svg
      class={trend === "steady" ? "spark steady" : "spark"}
      role="img"
      aria-label={`${label}: ${trend}, now ${last}`}
      viewBox={`0 0 ${size.width} ${size.height}`}
      width={size.width}
      height={size.height}
    >
      {points.length > 1 && most > 0 && (
        <>
          <polygon points={`0,${size.height} ${points.join(" ")} ${size.width},${size.height}`} />
          <polyline points={points.join(" ")} />
        </>
      )}
    </svg>
  );
}
