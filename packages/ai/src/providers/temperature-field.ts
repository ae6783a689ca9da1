/** The field `temperature` of a request, which many models refuse. */
import { omittedOption } from "../driver/index.js";
import type { RequestNote } from "../transport/index.js";

/** The field, or the diagnostic for leaving it out. */
export interface TemperatureField {
  fields: { temperature?: number };
  notes: RequestNote[];
}

/**
 * @param rule when the model, or the host that serves it, refuses a temperature; undefined: never
 * @param thinks whether the model thinks in this request
 */
export function temperatureField(
  temperature: number | undefined,
  rule: "refused" | "refusedWhileThinking" | undefined,
  thinks: boolean,
): TemperatureField {
  if (temperature === undefined) return { fields: {}, notes: [] };
  const isRefused = rule === "refused" || (rule === "refusedWhileThinking" && thinks);
  if (!isRefused) return { fields: { temperature }, notes: [] };
  const reason = rule === "refused" ? "refused_by_model" : "refused_while_thinking";
  return { fields: {}, notes: [omittedOption("temperature", reason)] };
}
