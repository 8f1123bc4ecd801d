interface Option {
  value: string;
  label: string;
}

/** The browser's own select, which every phone and screen reader knows, in our clothes. */
export function Select(props: {
  label: string;
  value: string;
  options: Option[];
  testid?: string;
  onChange: (value: string) => void;
}) {
  const { label, value, options, testid, onChange } = props;
  const known = options.some((option) => option.value === value);
  return (
    <span class="select">
      <select
        aria-label={label}
        title={label}
        data-testid={testid}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {!known && (
          <option value={value} hidden={value === ""}>
            {value || label}
          </option>
        )}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  );
}
