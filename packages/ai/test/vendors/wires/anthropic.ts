/** Reads a request of the Messages API. */
import {
  blocksOf,
  emptyView,
  type Fields,
  fieldsOf,
  listOf,
  type PartView,
  type RequestView,
} from "../request-view.js";

export function readAnthropic(body: Fields, model: string): RequestView {
  const view = emptyView(body, String(body["model"] ?? model));
  view.tools = listOf(body["tools"]).flatMap((tool, index) => {
    // A tool that the provider runs has a type of its own.
    if (tool["type"] !== undefined && tool["type"] !== "custom") return [];
    const at = `tools.${index}.custom`;
    const { name, description, input_schema: schema, strict } = tool;
    return [
      { at, name, nameAt: `${at}.name`, description, schema, schemaAt: `${at}.input_schema`, strict: strict === true },
    ];
  });
  for (const [turn, message] of listOf(body["messages"]).entries()) {
    const at = `messages.${turn}`;
    const { content } = message;
    const blocks = blocksOf(content);
    const size = typeof content === "string" && content === "" ? 0 : blocks.length;
    view.turns.push({ at, role: String(message["role"]), content, size });
    for (const [index, block] of blocks.entries()) readBlock(view, block, { at: `${at}.content.${index}`, turn });
  }
  return view;
}

interface Place {
  at: string;
  turn: number;
}

function readBlock(view: RequestView, block: Fields, { at, turn }: Place): void {
  const role = view.turns.at(-1)?.role ?? "";
  switch (block["type"]) {
    case "tool_use": {
      const place = `${at}.tool_use`;
      const { id, name, input } = block;
      view.calls.push({ at, id, idAt: `${place}.id`, name, nameAt: `${place}.name`, input, turn });
      break;
    }
    case "tool_result": {
      const { tool_use_id: id, content, is_error: isError } = block;
      view.results.push({ at, id, turn, isError: isError === true });
      for (const [index, part] of blocksOf(content).entries()) {
        const place = `${at}.tool_result.content.${index}`;
        view.parts.push(readPart(part, { at: place, role, turn, inResult: true }));
      }
      break;
    }
    default:
      view.parts.push(readPart(block, { at, role, turn, inResult: false }));
  }
}

function readPart(block: Fields, place: Pick<PartView, "at" | "role" | "turn" | "inResult">): PartView {
  const source = fieldsOf(block["source"]);
  const file = { type: String(source["media_type"]), data: String(source["data"] ?? "") };
  const inline = source["type"] === "base64";
  switch (block["type"]) {
    case "text":
      return { ...place, kind: "text", text: block["text"] };
    case "image":
      return { ...place, kind: inline ? "picture" : "other", at: `${place.at}.image.source`, ...file };
    case "document":
      return { ...place, kind: inline ? "file" : "other", at: `${place.at}.pdf.source`, ...file, name: block["title"] };
    case "thinking":
      return { ...place, kind: "thinking", text: block["thinking"], signature: block["signature"] };
    case "redacted_thinking":
      return { ...place, kind: "thinking", text: "", signature: block["data"] };
    default:
      return { ...place, kind: "other" };
  }
}
