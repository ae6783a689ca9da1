/** Derives tools from the tool calls of a conversation, for sources that do not contain the tools themselves. */
import { type Fields, fieldsOf, textOf } from "../record/fields.js";
import { blocksOf } from "../record/message-sections.js";

const MAX_TOOLS = 200;
const MAX_PARAMETERS = 100;

/** Returns each tool that was called, with the parameters that its calls used. Descriptions are not known. */
export function toolsOfCalls(messages: readonly unknown[]): Fields[] {
  const tools = new Map<string, Map<string, Fields>>();
  const calls = messages.flatMap((message) => {
    const fields = fieldsOf(message);
    return fields["role"] === "assistant" ? blocksOf(fields).filter((block) => block["type"] === "toolCall") : [];
  });
  for (const call of calls) {
    const name = textOf(call["name"]);
    if (name === "" || (tools.size === MAX_TOOLS && !tools.has(name))) continue;
    const known = tools.get(name) ?? new Map<string, Fields>();
    tools.set(name, known);
    for (const [parameter, value] of Object.entries(fieldsOf(call["arguments"])))
      if (known.size < MAX_PARAMETERS) known.set(parameter, schemaOf(value));
  }
  return [...tools].map(([name, parameters]) => ({
    name,
    description: name,
    parameters: { type: "object", properties: Object.fromEntries(parameters) },
  }));
}

function schemaOf(value: unknown): Fields {
  if (Array.isArray(value)) return { type: "array" };
  if (value === null) return {};
  return { type: typeof value };
}
