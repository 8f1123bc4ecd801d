/** The pilot flame. */
export function Logo({ size = 18 }: { size?: number }) {
  return (
    <svg class="logo" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path
        fill="var(--accent)"
        d="M12 1.5c.6 4.3 6.8 7.6 6.8 13.4A6.9 6.9 0 0 1 12 22a6.9 6.9 0 0 1-6.8-7.1C5.2 9.1 11.4 5.8 12 1.5Z"
      />
      <path
        fill="var(--paper)"
        opacity="0.75"
        d="M12 11c.3 2.2 3 3.6 3 6.4A3 3 0 0 1 12 20.5a3 3 0 0 1-3-3.1c0-2.8 2.7-4.2 3-6.4Z"
      />
    </svg>
  );
}
