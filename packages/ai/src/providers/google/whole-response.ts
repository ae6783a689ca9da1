/** Whole answers of the Gemini API: `generateContent` returns what a stream sends in each chunk. */
import type { WireEvent } from "../../driver/index.js";
import { isRecord } from "../../utils/is-object.js";

/** Returns the one chunk of an answer, or of an error after others. Cloud Code Assist has an envelope around it. */
export function readWholeGoogle(answer: object): WireEvent[] | undefined {
  const fields: Record<string, unknown> = { ...answer };
  const chunk = isRecord(fields["response"]) ? fields["response"] : fields;
  const isChunk = Array.isArray(chunk["candidates"]) || isRecord(chunk["promptFeedback"]) || isRecord(chunk["error"]);
  return isChunk ? [answer] : undefined;
}
