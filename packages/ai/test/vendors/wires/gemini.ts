/** Reads a request of generateContent, also in the envelope of Code Assist. */
import { emptyView, type Fields, fieldsOf, listOf, type RequestView } from "../request-view.js";

export function readGemini(sent: Fields, model: string): RequestView {
  const body = sent["request"] === undefined ? sent : fieldsOf(sent["request"]);
  const view = emptyView(body, model);
  for (const [group, tool] of listOf(body["tools"]).entries()) {
    for (const [index, declaration] of listOf(tool["functionDeclarations"]).entries()) {
      const at = `tools[${group}].function_declarations[${index}]`;
      const { name, description, parameters, parametersJsonSchema } = declaration;
      const schemaAt = `${at}.${parameters === undefined ? "parameters_json_schema" : "parameters"}`;
      const schema = parameters ?? parametersJsonSchema;
      view.tools.push({ at, name, nameAt: `${at}.name`, description, schema, schemaAt, strict: false });
    }
  }
  for (const [turn, content] of listOf(body["contents"]).entries()) {
    const at = `contents[${turn}]`;
    const parts = listOf(content["parts"]);
    view.turns.push({ at, role: String(content["role"]), content: content["parts"], size: parts.length });
    for (const [index, part] of parts.entries()) readPart(view, part, `${at}.parts[${index}]`);
  }
  return view;
}

function readPart(view: RequestView, part: Fields, at: string): void {
  const turn = view.turns.length - 1;
  const role = view.turns[turn]?.role ?? "";
  if (part["functionCall"] !== undefined) {
    const { id, name, args } = fieldsOf(part["functionCall"]);
    const place = `${at}.function_call`;
    view.calls.push({ at, id, idAt: `${place}.id`, name, nameAt: `${place}.name`, input: args, turn });
  } else if (part["functionResponse"] !== undefined) {
    const { id, parts } = fieldsOf(part["functionResponse"]);
    view.results.push({ at, id, turn, isError: false });
    for (const [index, inner] of listOf(parts).entries()) {
      if (inner["inlineData"] === undefined) continue;
      readData(view, inner, { at: `${at}.function_response.parts[${index}]`, role, turn, inResult: true });
    }
  } else if (part["inlineData"] !== undefined) readData(view, part, { at, role, turn, inResult: false });
  else if (part["text"] !== undefined) {
    const kind = part["thought"] === true ? "thinking" : "text";
    const { text, thoughtSignature: signature } = part;
    view.parts.push({ at, kind, role, turn, inResult: false, text, signature });
  } else {
    const { fileUri: address } = fieldsOf(part["fileData"]);
    view.parts.push({ at, kind: "other", role, turn, inResult: false, address });
  }
}

function readData(
  view: RequestView,
  part: Fields,
  place: { at: string; role: string; turn: number; inResult: boolean },
): void {
  const { mimeType, data } = fieldsOf(part["inlineData"]);
  const type = String(mimeType);
  const kind = type.startsWith("image/") ? "picture" : "file";
  view.parts.push({ ...place, at: `${place.at}.inline_data`, kind, type, data: String(data ?? "") });
}
