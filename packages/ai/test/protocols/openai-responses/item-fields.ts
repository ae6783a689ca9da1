/** The fields of the items of a request that are tools in the provider's own format (openai SDK 7.57, `ResponseInputItem`). */
import { UNKNOWN } from "../../handoff/script.js";
import { type Faults, type Fields, isObjectText, isSaid, listOf } from "../../validators/faults.js";

const ITEM_FIELDS: Readonly<Record<string, string>> = {
  web_search_call: "id! status action!",
  file_search_call: "id! status queries! results",
  code_interpreter_call: "id! status code container_id! outputs",
  image_generation_call:
    "id! status! result! action background error output_format quality revised_prompt size svg_usage",
  mcp_list_tools: "id! server_label! tools! error",
  mcp_call: "id! server_label! name! arguments! approval_request_id error output status",
  mcp_approval_request: "id! server_label! name! arguments!",
  mcp_approval_response: "id approval_request_id! approve! reason",
  computer_call: "id! call_id! pending_safety_checks status action actions",
  computer_call_output: "id call_id! output! acknowledged_safety_checks status",
  shell_call: "id call_id! action! caller environment status",
  shell_call_output: "id call_id! output! caller max_output_length status",
  local_shell_call: "id! call_id! action! status!",
  local_shell_call_output: "id! call_id output! status",
  apply_patch_call: "id call_id! operation! status! caller",
  apply_patch_call_output: "id call_id! status! caller output",
  tool_search_call: "id call_id arguments! execution status",
  tool_search_output: "id call_id execution status tools!",
  compaction: "id encrypted_content!",
  program: "id! call_id! code! fingerprint!",
  program_output: "id! call_id! result! status!",
  [UNKNOWN]: "id! data! depth! status",
};

/** The items that the application has to act on, and the items that it sends in response. */
export const OUTPUTS: Readonly<Record<string, string>> = {
  function_call: "function_call_output",
  shell_call: "shell_call_output",
  local_shell_call: "local_shell_call_output",
  apply_patch_call: "apply_patch_call_output",
  computer_call: "computer_call_output",
  tool_search_call: "tool_search_output",
  mcp_approval_request: "mcp_approval_response",
};

/** Whether the item has a type of this list. */
export function checkServerItem(item: Fields, place: string, faults: Faults): boolean {
  const fields = ITEM_FIELDS[String(item["type"])]?.split(" ");
  if (!fields) return false;
  const names = fields.map((field) => field.replace("!", ""));
  faults.fields(item, ["type", ...names], place);
  for (const field of fields) {
    const name = field.slice(0, -1);
    if (field.endsWith("!"))
      faults.check(item[name] !== undefined && item[name] !== null, place, `${name} is required`);
  }
  VALUES[String(item["type"])]?.(item, place, faults);
  return true;
}

const VALUES: Readonly<Record<string, (item: Fields, place: string, faults: Faults) => void>> = {
  mcp_call: ({ arguments: text }, place, faults) => faults.check(isObjectText(text), place, "arguments are JSON text"),
  mcp_approval_response: ({ approve }, place, faults) =>
    faults.check(typeof approve === "boolean", place, "a decision"),
  computer_call_output: ({ output }, place, faults) => {
    const [screen = {}] = listOf([output]);
    const shown = isSaid(screen["image_url"]) || isSaid(screen["file_id"]);
    faults.check(screen["type"] === "computer_screenshot" && shown, place, "a screenshot");
  },
  shell_call_output: ({ output }, place, faults) => {
    for (const part of listOf(output)) {
      faults.fields(part, ["stdout", "stderr", "outcome"], place);
      const [outcome = {}] = listOf([part["outcome"]]);
      faults.check(["exit", "timeout"].includes(String(outcome["type"])), place, "an outcome");
    }
  },
  local_shell_call_output: ({ output }, place, faults) => faults.check(isSaid(output), place, "the output is a text"),
  apply_patch_call_output: ({ status }, place, faults) =>
    faults.check(["completed", "failed"].includes(String(status)), place, "completed or failed"),
  tool_search_output: ({ tools }, place, faults) => faults.check(Array.isArray(tools), place, "a list of tools"),
};
