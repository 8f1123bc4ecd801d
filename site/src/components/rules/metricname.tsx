/** A long name, which breaks between its words. */
export function MetricName({ name }: { name: string }) {
  return (
    <>
      {name.split(/(?<=_)/).map((word, i) => (
        <>
          {i > 0 && <wbr />}
          {word}
        </>
      ))}
    </>
  );
}
