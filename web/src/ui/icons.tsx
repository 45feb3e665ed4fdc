// Icons are drawn by us, on a grid of 16.
const PATHS = {
  plus: "M8 3v10M3 8h10",
  back: "M10 3 5 8l5 5",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9ZM10.5 10.5 14 14",
  chevron: "m6 4 4 4-4 4",
  check: "m3 8.5 3.2 3.2L13 4.8",
  cross: "m4 4 8 8M12 4l-8 8",
  stop: "M4.5 4.5h7v7h-7z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.5v9l7-4.5z",
  fork: "M4.5 2.5v11M4.5 9c0-3 7-1.5 7-5.5M9.5 5l2-2 2 2",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  link: "M6.5 9.5a3 3 0 0 0 4.2 0l2-2a3 3 0 0 0-4.2-4.2l-.8.8M9.5 6.5a3 3 0 0 0-4.2 0l-2 2a3 3 0 0 0 4.2 4.2l.8-.8",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  send: "M8 13V3.5M4 7l4-4 4 4",
  terminal: "m3 4.5 3.5 3.5L3 11.5M8 12h5",
  pencil: "m3 13 .7-3L10.5 3.2l2.3 2.3L6 12.3z",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  globe: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2ZM2 8h12M8 2c4 4 4 8 0 12M8 2C4 6 4 10 8 14",
  plug: "M5.5 2.5v3M10.5 2.5v3M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2",
  spark: "M8 2.5v3M8 10.5v3M2.5 8h3M10.5 8h3",
  robot: "M3.5 6h9v6.5h-9zM8 3v3M6 9h.01M10 9h.01",
  list: "M6 4h7.5M6 8h7.5M6 12h7.5M2.7 4h.01M2.7 8h.01M2.7 12h.01",
  warning: "M8 2.5 14 13.5H2zM8 6.5v3M8 11.5h.01",
  question: "M5.7 6a2.3 2.3 0 1 1 3.4 2c-.8.5-1.1.9-1.1 1.8M8 12.5h.01",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.8.8M11.8 11.8l.8.8M12.6 3.4l-.8.8M4.2 11.8l-.8.8",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z",
  image: "M2.5 3.5h11v9h-11zM5.5 6.7h.01M3 11.5l3.5-3 2 1.7 2.5-2.7 2.5 2.7",
  chart: "M3 13.5V8M8 13.5v-11M13 13.5V6",
  gear: "M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5ZM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4",
  down: "M8 3v10M4 9l4 4 4-4",
  bell: "M4 11.5V7.3a4 4 0 0 1 8 0v4.2l1 1H3zM7 14.2h2",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
