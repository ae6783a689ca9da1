/** A request body as the blocks of its prompt, in the order in which providers cache them, without the cache marks. */
import { isRecord } from "pi-ai/call";

export interface PromptBlock {
  /** The block as bytes. */
  text: string;
  /** The lifetime of the entry that the provider writes here, if the block has a mark. */
  mark?: "short" | "long";
}

/** Tools, then the system prompt, then the conversation. */
export function promptOf(body: unknown): PromptBlock[] {
  const { request, ...rest } = recordOf(body);
  const fields: Record<string, unknown> = { ...rest, ...(isRecord(request) ? request : {}) };
  const tools = fields["tools"] ?? recordOf(fields["toolConfig"])["tools"];
  const system = fields["system"] ?? fields["systemInstruction"] ?? fields["instructions"];
  const conversation = fields["messages"] ?? fields["input"] ?? fields["contents"];
  return [
    ...blocksOf("tools", tools),
    ...blocksOf("system", system),
    ...listOf(conversation).flatMap((message) => {
      const { content, parts, ...facts } = recordOf(message);
      const inside = content ?? parts;
      const head = JSON.stringify(facts);
      // In a chat message, reasoning and tool calls are outside of the content.
      const bare = inside === undefined || inside === null || (Array.isArray(inside) && inside.length === 0);
      return bare ? blocksOf(head, [null]) : blocksOf(head, inside);
    }),
  ];
}

function blocksOf(place: string, value: unknown): PromptBlock[] {
  if (value === undefined) return [];
  // A string and a list with this text are the same prompt.
  const list = typeof value === "string" ? [{ type: "text", text: value }] : listOf(value);
  const blocks: PromptBlock[] = [];
  for (const item of list) {
    const { cache_control: control, cachePoint: point, prompt_cache_breakpoint: ours, ...block } = recordOf(item);
    const last = blocks.at(-1);
    if (point && last) last.mark = lifetimeOf(point);
    else blocks.push({ text: `${place} ${JSON.stringify(block)}`, ...(control ? { mark: lifetimeOf(control) } : {}) });
    if (ours && blocks.at(-1)) Object.assign(blocks.at(-1) ?? {}, { mark: "short" });
  }
  return blocks;
}

function lifetimeOf(mark: unknown): "short" | "long" {
  return recordOf(mark)["ttl"] === "1h" ? "long" : "short";
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
