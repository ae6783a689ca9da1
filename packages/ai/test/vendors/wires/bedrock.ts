/** Reads a request of ConverseStream. Lists count from 1 in the names of members, and from 0 in other texts. */
import { emptyView, type Fields, fieldsOf, listOf, type PartView, type RequestView } from "../request-view.js";

export function readBedrock(body: Fields, model: string): RequestView {
  const view = emptyView(body, String(body["modelId"] ?? model));
  for (const [index, tool] of listOf(fieldsOf(body["toolConfig"])["tools"]).entries()) {
    if (tool["toolSpec"] === undefined) continue;
    const at = `toolConfig.tools.${index}.toolSpec`;
    const nameAt = `toolConfig.tools.${index + 1}.member.toolSpec.name`;
    const { name, description, inputSchema, strict } = fieldsOf(tool["toolSpec"]);
    const schema = fieldsOf(inputSchema)["json"];
    view.tools.push({
      at,
      name,
      nameAt,
      description,
      schema,
      schemaAt: `${at}.inputSchema.json`,
      strict: strict === true,
    });
  }
  for (const [turn, message] of listOf(body["messages"]).entries()) {
    const blocks = listOf(message["content"]);
    const said = blocks.filter((block) => block["cachePoint"] === undefined);
    view.turns.push({ at: `messages.${turn}`, role: String(message["role"]), content: blocks, size: said.length });
    for (const [index, block] of blocks.entries()) readBlock(view, block, index);
  }
  return view;
}

function readBlock(view: RequestView, block: Fields, index: number): void {
  const turn = view.turns.length - 1;
  const role = view.turns[turn]?.role ?? "";
  const at = `messages.${turn}.content.${index}`;
  const member = `messages.${turn + 1}.member.content.${index + 1}.member`;
  if (block["toolUse"] !== undefined) {
    const { toolUseId: id, name, input, type } = fieldsOf(block["toolUse"]);
    if (type !== undefined) return;
    view.calls.push({
      at,
      id,
      idAt: `${member}.toolUse.toolUseId`,
      name,
      nameAt: `${member}.toolUse.name`,
      input,
      turn,
    });
  } else if (block["toolResult"] !== undefined) {
    const { toolUseId: id, content, status, type } = fieldsOf(block["toolResult"]);
    if (type !== undefined) return;
    view.results.push({ at, id, turn, isError: status === "error" });
    for (const [place, part] of listOf(content).entries()) {
      view.parts.push(readPart(part, { at: `${at}.toolResult.content.${place}`, role, turn, inResult: true }));
    }
  } else view.parts.push(readPart(block, { at, role, turn, inResult: false }));
}

function readPart(block: Fields, place: Pick<PartView, "at" | "role" | "turn" | "inResult">): PartView {
  const { text, image, document, reasoningContent } = block;
  if (image !== undefined) {
    const { format, source } = fieldsOf(image);
    return { ...place, kind: "picture", ...readSource(fieldsOf(source), String(format)) };
  }
  if (document !== undefined) {
    const { format, name, source } = fieldsOf(document);
    return { ...place, kind: "file", name, ...readSource(fieldsOf(source), String(format)) };
  }
  if (reasoningContent !== undefined) {
    const { reasoningText, redactedContent } = fieldsOf(reasoningContent);
    const { text: thought, signature } = fieldsOf(reasoningText);
    return { ...place, kind: "thinking", text: thought ?? "", signature: signature ?? redactedContent };
  }
  return text === undefined ? { ...place, kind: "other" } : { ...place, kind: "text", text };
}

/** Of a picture or a document: its bytes, or its place in a bucket. */
function readSource({ bytes, s3Location }: Fields, type: string): Pick<PartView, "type" | "data" | "address"> {
  if (s3Location !== undefined) return { type, address: fieldsOf(s3Location)["uri"] };
  return { type, data: String(bytes ?? "") };
}
