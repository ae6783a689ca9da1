/** The results that the original run had after the fork, for calls that the forked run makes again. */
import { type Fields, fieldsOf, textOf } from "../record/fields.js";
import { blocksOf } from "../record/message-sections.js";

export class RecordedResults {
  readonly #results = new Map<string, Fields[]>();

  /** @param messages of the original run, from the fork on */
  constructor(messages: readonly unknown[]) {
    const calls = new Map<unknown, string>();
    for (const message of messages) {
      const fields = fieldsOf(message);
      if (fields["role"] === "assistant")
        for (const block of blocksOf(fields)) if (block["type"] === "toolCall") calls.set(block["id"], keyOf(block));
      const key = fields["role"] === "toolResult" ? calls.get(fields["toolCallId"]) : undefined;
      if (key === undefined) continue;
      const results = this.#results.get(key) ?? [];
      results.push(fields);
      this.#results.set(key, results);
    }
  }

  /** The next result of a call with the same tool and arguments. Each is used once: a tool may return another one later. */
  take(call: Fields): Fields | undefined {
    return this.#results.get(keyOf(call))?.shift();
  }
}

/** Equal for calls of the same tool whose arguments differ in the order of their fields only. */
function keyOf(call: Fields): string {
  return JSON.stringify([textOf(call["name"]), sorted(call["arguments"], 0)]);
}

function sorted(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > 100) return value;
  if (Array.isArray(value)) return value.map((element) => sorted(element, depth + 1));
  const fields = fieldsOf(value);
  const names = Object.keys(fields).sort();
  // A list with a mark, because a field named `__proto__` would be lost in an object.
  return { fields: names.map((name) => [name, sorted(fields[name], depth + 1)]) };
}
