/** Finds the recorded results of the original run for tool calls that a fork repeats. */
import { type Fields, fieldsOf, textOf } from "../record/fields.js";
import { blocksOf } from "../record/message-sections.js";

export class RecordedResults {
  readonly #results = new Map<string, Fields[]>();

  /** @param messages those of the original run from the fork on */
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

  /**
   * Takes the next result of a call with the same tool and arguments. Each result is used once, in the recorded order,
   * because a tool may return something else for each call.
   */
  take(call: Fields): Fields | undefined {
    return this.#results.get(keyOf(call))?.shift();
  }
}

/** A key that is equal for calls of the same tool with the same arguments, in whatever order their fields are. */
function keyOf(call: Fields): string {
  return JSON.stringify([textOf(call["name"]), sorted(call["arguments"], 0)]);
}

function sorted(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > 100) return value;
  if (Array.isArray(value)) return value.map((element) => sorted(element, depth + 1));
  const fields = fieldsOf(value);
  const names = Object.keys(fields).sort();
  // A list of pairs, because an object would lose a field named `__proto__`. `fields` tells it from an array.
  return { fields: names.map((name) => [name, sorted(fields[name], depth + 1)]) };
}
