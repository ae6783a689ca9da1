/**
 * The rules for `context_management`. Sources, read 2026-11: platform.claude.com, "Context editing" and "Compaction"; types of
 * @anthropic-ai/sdk 1.12, `BetaContextManagementConfig`.
 */
import { type Faults, type Fields, fieldsOf, listOf } from "../../validators/faults.js";

/** In the order that the server requires, with their settings. */
const EDITS: readonly (readonly [type: string, settings: readonly string[]])[] = [
  ["clear_thinking_20251015", ["keep"]],
  ["clear_tool_uses_20250919", ["trigger", "keep", "exclude_tools", "clear_at_least", "clear_tool_inputs"]],
  ["compact_20260112", ["trigger", "instructions", "pause_after_compaction"]],
];
const MIN_TOKENS = 50_000;

export function checkContextEdits({ context_management: management, thinking }: Fields, faults: Faults): void {
  if (management === undefined) return;
  const edits = listOf(fieldsOf(management)["edits"]);
  faults.fields(fieldsOf(management), ["edits"], "context_management");
  let last = -1;
  for (const [index, edit] of edits.entries()) {
    const place = `context_management.edits.${index}`;
    const position = EDITS.findIndex(([type]) => type === edit["type"]);
    faults.fields(edit, ["type", ...(EDITS[position]?.[1] ?? [])], place);
    faults.check(position > last, place, "edits come once, in their order");
    last = position;
  }
  const types = edits.map(({ type }) => type);
  const thinks = ["enabled", "adaptive"].includes(String(fieldsOf(thinking)["type"]));
  faults.check(thinks || !types.includes("clear_thinking_20251015"), "context_management", "thinking must be on");
  const trigger = fieldsOf(edits.find(({ type }) => type === "compact_20260112")?.["trigger"]);
  const tokens = trigger["value"] ?? MIN_TOKENS;
  faults.check(Number(tokens) >= MIN_TOKENS, "context_management", "compaction needs 50,000 tokens or more");
}
