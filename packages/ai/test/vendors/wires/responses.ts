/** Reads a request of the Responses API. */
import {
  blocksOf,
  emptyView,
  type Fields,
  listOf,
  type PartView,
  type RequestView,
  readDataUrl,
} from "../request-view.js";

export function readResponses(body: Fields, model: string): RequestView {
  const view = emptyView(body, String(body["model"] ?? model));
  view.tools = listOf(body["tools"]).flatMap((tool, index) => {
    if (tool["type"] !== "function") return [];
    const at = `tools[${index}]`;
    const { name, description, parameters: schema, strict } = tool;
    return [
      { at, name, nameAt: `${at}.name`, description, schema, schemaAt: `${at}.parameters`, strict: strict === true },
    ];
  });
  for (const [turn, item] of listOf(body["input"]).entries()) readItem(view, item, turn);
  return view;
}

function readItem(view: RequestView, item: Fields, turn: number): void {
  const at = `input[${turn}]`;
  const role = String(item["role"] ?? item["type"]);
  switch (item["type"] ?? "message") {
    case "message": {
      const blocks = blocksOf(item["content"]);
      const silent = item["content"] === "";
      view.turns.push({ at, role, content: item["content"], size: silent ? 0 : blocks.length });
      for (const [index, block] of blocks.entries()) {
        view.parts.push(readPart(block, { at: `${at}.content[${index}]`, role, turn, inResult: false }));
      }
      break;
    }
    case "function_call": {
      const { call_id: id, name, arguments: input } = item;
      view.turns.push({ at, role, content: undefined, size: 1 });
      view.calls.push({ at, id, idAt: `${at}.call_id`, name, nameAt: `${at}.name`, input, turn });
      break;
    }
    case "function_call_output":
      view.turns.push({ at, role, content: undefined, size: 1 });
      view.results.push({ at, id: item["call_id"], turn, isError: false });
      for (const [index, block] of blocksOf(item["output"]).entries()) {
        view.parts.push(readPart(block, { at: `${at}.output[${index}]`, role, turn, inResult: true }));
      }
      break;
    default:
      view.turns.push({ at, role, content: undefined, size: 1 });
  }
}

function readPart(block: Fields, place: Pick<PartView, "at" | "role" | "turn" | "inResult">): PartView {
  switch (block["type"]) {
    case "text":
    case "input_text":
    case "output_text":
      return { ...place, kind: "text", text: block["text"] };
    case "input_image":
      return {
        ...place,
        kind: "picture",
        at: `${place.at}.image_url`,
        ...(readDataUrl(block["image_url"]) ?? { type: "url", address: block["image_url"] }),
      };
    case "input_file":
      return {
        ...place,
        kind: "file",
        name: block["filename"],
        address: block["file_url"],
        ...readDataUrl(block["file_data"]),
      };
    default:
      return { ...place, kind: "other" };
  }
}
