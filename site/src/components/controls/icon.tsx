const PATHS = {
  sun: "M12 4V2m0 20v-2m8-8h2M2 12h2m13.7-5.7 1.4-1.4M4.9 19.1l1.4-1.4m11.4 0 1.4 1.4M4.9 4.9l1.4 1.4M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  contrast: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 0v18m0-15a6 6 0 0 1 0 12",
  auto: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 0v18M12 7h7m-7 5h9m-9 5h7",
  help: "M9.2 9a2.9 2.9 0 1 1 4.3 2.6c-1 .6-1.5 1.1-1.5 2.2M12 17.5v.1M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z",
  share: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7m2 3a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17",
  file: "M13 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V9l-6-6Zm0 0v6h6",
  refresh: "M20 11a8 8 0 1 0-2.3 6.3M20 4v7h-7",
  close: "M6 6l12 12M18 6 6 18",
  swap: "M7 4 3 8l4 4M3 8h14m0 4 4 4-4 4m4-4H7",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 5 5",
  download: "M12 3v12m-5-5 5 5 5-5M4 20h16",
  tag: "M11 3H4v7l10 10 7-7L11 3ZM8 7v.1",
  plus: "M12 5v14M5 12h14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  key: "M8 11a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Zm3.2 1.3L20 3.5m-3.5 3.5 3 3m-6 0 2 2",
  sliders: "M4 6h9m4 0h3M4 12h3m4 0h9M4 18h11m4 0h1M15 4v4M9 10v4m8 2v4",
  star: "m12 3.5 2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9-4.3-4.1 5.9-.8Z",
  invert: "M8 20V4M4 8l4-4 4 4m4-4v16m-4-4 4 4 4-4",
  words: "M4 5h16M4 10h16M4 15h10M4 20h6",
  chart: "M4 4v16h16M8 15l4-5 3 3 5-7",
  zoom: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 5 5M8 11h6m-3-3v6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
