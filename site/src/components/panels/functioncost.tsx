import { short } from "../../format/number.ts";
import { price } from "../../state/query/function.ts";

const HOUR = 3600e9;

/** The cells of what CPU-hours are, and cost where the price is known. */
export function Cost({ total }: { total: number }) {
  const hours = total / HOUR;
  return (
    <>
      <td class="num" title={`${hours} h`} data-testid="function-hours">
        {small(hours)}
      </td>
      {price.value > 0 && (
        <td class="num" title={String(hours * price.value)} data-testid="function-cost">
          {small(hours * price.value)}
        </td>
      )}
    </>
  );
}

/** The heads of these cells. */
export function CostHeads() {
  return (
    <>
      <th scope="col" class="num">
        CPU-hours
      </th>
      {price.value > 0 && (
        <th scope="col" class="num">
          Cost
        </th>
      )}
    </>
  );
}

/** Three digits, also of what is far below one: an hour of one function costs little. */
function small(value: number): string {
  return value > 0 && value < 1 ? String(Number(value.toPrecision(2))) : short(value);
}
