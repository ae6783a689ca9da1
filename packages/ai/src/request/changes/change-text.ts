/** Says a change of the system prompt in words, for a model that reads it in the list. */

import type { SystemMessage } from "../../types/message.js";
import { type PromptChange, textOfSystem } from "./system-messages.js";

const REPLACED = "The system prompt has changed. From here on this one holds instead of all earlier ones:";

export function changeText({
  message,
  earlier,
  patches,
}: Pick<PromptChange, "earlier" | "patches"> & { message: SystemMessage }): string {
  const { systemPrompt } = message;
  const replaced = systemPrompt === undefined || systemPrompt === earlier ? [] : [replacement(systemPrompt, earlier)];
  const sections = patches.map(([name, text]) => {
    return text === null
      ? `The section "${name}" of the system prompt no longer holds.`
      : `The section "${name}" of the system prompt is now:\n\n${text}`;
  });
  return [...replaced, textOfSystem(message), ...sections].filter((text) => text !== "").join("\n\n");
}

/** A prompt that only got longer is not repeated. */
function replacement(systemPrompt: string, earlier: string): string {
  const added =
    earlier !== "" && systemPrompt.startsWith(`${earlier}\n`) ? systemPrompt.slice(earlier.length).trim() : "";
  return added || `${REPLACED}\n\n${systemPrompt === "" ? "(none)" : systemPrompt}`;
}
