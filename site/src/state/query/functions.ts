/** Functions as the server lists them. */

/** Of `GET /api/v1/functions`. */
export interface FunctionsAnswer {
  profiles: number;
  total: number;
  unit: string;
  rounded: boolean;
  functions: FunctionValues[];
  coverage: { functions: number; shown: number };
}

export interface FunctionValues {
  name: string;
  file: string;
  self: number;
  total: number;
}
