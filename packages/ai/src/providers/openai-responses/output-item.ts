/**
 * The result of a tool that the application ran in the provider's own format, as the output item of the API (openai
 * SDK 7.57, `ResponseInputItem`, 2026-11).
 */
import { NO_RESULT } from "../../request/index.js";
import type { ToolResultMessage } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";
import { toWellFormed } from "../../utils/sanitize-unicode.js";
import { resultText, shownResultText, toDataUrl } from "../content.js";
import type { WireItem } from "./wire-items.js";

type Fields = Record<string, unknown>;

interface OutputKind {
  type: string;
  /** The fields that refer to the waiting item. */
  address: (call: WireItem) => Fields;
  /** The fields for a result that has no `output` of its own. */
  fields: (result: ToolResultMessage, call: WireItem) => Fields;
}

/** A minimal PNG for a computer call without a screenshot, because the API requires an image. */
const BLANK_SCREEN =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

/** Outputs by the type of the waiting item. */
const OUTPUTS: Readonly<Record<string, OutputKind>> = {
  shell_call: {
    type: "shell_call_output",
    address: byCall,
    fields: ({ content, isError }, { action }) => ({
      output: [{ stdout: shownResultText(content), stderr: "", outcome: { type: "exit", exit_code: isError ? 1 : 0 } }],
      // The guide "Shell" (2026-11) requires sending back the model's own limit.
      ...(isRecord(action) && typeof action["max_output_length"] === "number"
        ? { max_output_length: action["max_output_length"] }
        : {}),
    }),
  },
  local_shell_call: {
    type: "local_shell_call_output",
    // The API reference names the call's id `id`, the guide "Local shell" names it `call_id`: send both.
    address: ({ call_id: id }) => ({ id, call_id: id }),
    fields: asText,
  },
  apply_patch_call: {
    type: "apply_patch_call_output",
    address: byCall,
    fields: ({ content, isError }) => {
      const text = resultText(content);
      return { status: isError ? "failed" : "completed", ...(text === "" ? {} : { output: text }) };
    },
  },
  computer_call: {
    type: "computer_call_output",
    address: byCall,
    fields: (result) => ({ output: { type: "computer_screenshot", ...screenshotOf(result) } }),
  },
  mcp_approval_request: {
    type: "mcp_approval_response",
    address: ({ id }) => ({ approval_request_id: id }),
    fields: ({ content, isError }) => {
      const reason = resultText(content);
      return { approve: !isError, ...(isError && reason !== "" && reason !== NO_RESULT ? { reason } : {}) };
    },
  },
  tool_search_call: {
    type: "tool_search_output",
    address: byCall,
    fields: () => ({ execution: "client", status: "completed", tools: [] }),
  },
};

/**
 * The output item for a waiting item. `result.output` may set the item's own fields, such as the `tools` of a tool
 * search or the `acknowledged_safety_checks` of a computer call. Without it:
 *
 * - `shell`: the text is the standard output, with exit code 0, or 1 for an error.
 * - `local_shell` and items of other types: the text is the output.
 * - `apply_patch`: completed, or failed for an error; the text is the output.
 * - `computer`: the first image is the screenshot.
 * - `mcp_approval`: approved or, for an error, denied with the text as the reason.
 * - `tool_search`: no tools.
 */
export function toOutputItem(call: WireItem, result: ToolResultMessage): Fields {
  const { type = "", caller } = call;
  const kind = ownValue(OUTPUTS, type) ?? otherKind(type);
  const own = isRecord(result.output) ? toWellFormed(result.output) : undefined;
  return {
    ...kind.fields(result, call),
    ...own,
    ...(isRecord(caller) ? { caller } : {}),
    type: kind.type,
    ...kind.address(call),
  };
}

function otherKind(type: string): OutputKind {
  return { type: `${type}_output`, address: byCall, fields: asText };
}

function byCall({ call_id, id }: WireItem): Fields {
  return { call_id: [call_id, id].find(isText) };
}

function asText({ content }: ToolResultMessage): Fields {
  return { output: shownResultText(content) };
}

function screenshotOf({ content }: ToolResultMessage): Fields {
  for (const part of content) {
    if (part.type === "image") return { image_url: toDataUrl(part) };
    if (part.type !== "file" || !part.mimeType.startsWith("image/")) continue;
    if (part.url !== undefined) return { image_url: part.url };
    if (part.fileId !== undefined) return { file_id: part.fileId };
  }
  return { image_url: BLANK_SCREEN };
}
