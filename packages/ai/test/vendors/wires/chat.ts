/** Reads a request of Chat Completions, and of Mistral's chat. */
import {
  blocksOf,
  emptyView,
  type Fields,
  fieldsOf,
  listOf,
  type PartView,
  type RequestView,
  readDataUrl,
} from "../request-view.js";

export function readChat(body: Fields, model: string): RequestView {
  const view = emptyView(body, String(body["model"] ?? model));
  view.tools = listOf(body["tools"]).flatMap((tool, index) => {
    if (tool["function"] === undefined) return [];
    const at = `tools[${index}].function`;
    const { name, description, parameters: schema, strict } = fieldsOf(tool["function"]);
    return [
      { at, name, nameAt: `${at}.name`, description, schema, schemaAt: `${at}.parameters`, strict: strict === true },
    ];
  });
  for (const [turn, message] of listOf(body["messages"]).entries()) readMessage(view, message, turn);
  return view;
}

function readMessage(view: RequestView, message: Fields, turn: number): void {
  const at = `messages[${turn}]`;
  const role = String(message["role"]);
  const { content } = message;
  const calls = listOf(message["tool_calls"]);
  const blocks = blocksOf(content);
  const said = typeof content === "string" && content === "" ? 0 : blocks.length;
  view.turns.push({ at, role, content, size: said + calls.length });
  for (const [index, call] of calls.entries()) {
    const place = `${at}.tool_calls[${index}]`;
    const { name, arguments: input } = fieldsOf(call["function"]);
    view.calls.push({
      at: place,
      id: call["id"],
      idAt: `${place}.id`,
      name,
      nameAt: `${place}.function.name`,
      input,
      turn,
    });
  }
  if (role === "tool") view.results.push({ at, id: message["tool_call_id"], turn, isError: false });
  for (const [index, block] of blocks.entries()) {
    view.parts.push(readPart(block, { at: `${at}.content[${index}]`, role, turn, inResult: role === "tool" }));
  }
}

function readPart(block: Fields, place: Pick<PartView, "at" | "role" | "turn" | "inResult">): PartView {
  const { image_url: image, file } = block;
  const url = typeof image === "string" ? image : fieldsOf(image)["url"];
  switch (block["type"]) {
    case "text":
      return { ...place, kind: "text", text: block["text"] };
    case "image_url":
      return {
        ...place,
        kind: "picture",
        at: `${place.at}.image_url`,
        ...(readDataUrl(url) ?? { type: "url", address: url }),
      };
    case "file": {
      const { file_data: data, filename: name } = fieldsOf(file);
      return { ...place, kind: "file", at: `${place.at}.file.file_data`, name, ...readDataUrl(data) };
    }
    case "document_url":
      return { ...place, kind: "file", name: block["document_name"], ...readDataUrl(block["document_url"]) };
    default:
      return { ...place, kind: "other" };
  }
}
