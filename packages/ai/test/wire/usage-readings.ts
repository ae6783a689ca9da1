/** The token counts that the numbers of a wire format allow. */
import { testsOf } from "../protocols/all-apis.js";
import type { Parts } from "./recorded-api.js";
import type { Truth } from "./truth.js";

export interface AllowedUsage {
  readings: Parts[];
  /** The wire's own total if it matches none of the readings; it is then accepted too. */
  oddTotal: number | undefined;
}

export function readUsage(
  api: string,
  usage: NonNullable<Truth["usage"]>,
  body?: Uint8Array,
): AllowedUsage | undefined {
  const read = testsOf(api).recordings?.readUsage(usage, body);
  if (!read) return undefined;
  const { readings, total } = read;
  const fits = readings.some((parts) => sumOf(parts) === total);
  return { readings, oddTotal: !fits && typeof total === "number" ? total : undefined };
}

export function sumOf({ input, output, cacheRead, cacheWrite }: Parts): number {
  return input + output + cacheRead + cacheWrite;
}
