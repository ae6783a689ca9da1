/** What a request says otherwise than its conversation, which a program must hear of. */
import type { Context, Model } from "pi-ai";
import { fieldsOf } from "../validators/faults.js";
import type { SeenRequest } from "./double.js";
import type { Vendor } from "./vendors.js";

/** What the request says otherwise than the conversation. */
export function changesOf(
  { read }: Vendor,
  { context, model, sent }: { context: Context; model: Model; sent: SeenRequest },
): string[] {
  const { messages, tools = [] } = context;
  const view = read(sent.body, "");
  // A vendor's own summary stands for what was before it.
  const summary = messages.findLastIndex(
    ({ role, content }) => role === "assistant" && Array.isArray(content) && content.some(isSummary),
  );
  // A result may go with its call, and what a model made with its turn.
  const pictures = messages
    .slice(summary + 1)
    .flatMap(({ role, content }) => (role !== "user" || typeof content === "string" ? [] : content));
  const count = pictures.filter((block) => block?.type === "image").length;
  const sentPictures = view.parts.filter(({ kind }) => kind === "picture").length;
  return [
    // A model that takes none reads a note in the place of each.
    ...(sentPictures < count && model.input.includes("image") ? [`${count - sentPictures} pictures are left out`] : []),
    ...tools.flatMap(({ name, parameters }, index) =>
      keeps(parameters, view.tools[index]?.schema) ? [] : [`the schema of ${name.slice(0, 20)} is another`],
    ),
  ];
}

function isSummary(block: unknown): boolean {
  return fieldsOf(block)["type"] === "compaction";
}

/** Whether a schema says all that another one says. What it adds must be empty. */
function keeps(given: unknown, sent: unknown): boolean {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return JSON.stringify(given) === JSON.stringify(sent);
  // A reference may be replaced by what it means.
  if (Object.hasOwn(given, "$ref")) return true;
  const added = Object.entries(fieldsOf(sent)).filter(([key]) => !Object.hasOwn(given, key));
  if (added.some(([key, value]) => key !== "type" && JSON.stringify(value) !== "{}")) return false;
  return Object.entries(given).every(([key, value]) => key === "$schema" || keeps(value, fieldsOf(sent)[key]));
}
