/** The text of a failed tool's result. */

/** Longer texts are cut: they are kept as the last error. */
const MAX_LENGTH = 2000;

export function extractToolError(result: unknown): string | undefined {
  const text = findText(result)?.trim();
  if (!text) return undefined;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function findText(result: unknown): string | undefined {
  if (typeof result === "string") return result;
  if (typeof result !== "object" || result === null) return undefined;
  if (result instanceof Error) return result.message;
  if ("content" in result && Array.isArray(result.content)) {
    const texts = result.content.flatMap(textOf);
    if (texts.length > 0) return texts.join("\n");
  }
  if ("error" in result) return findText(result.error);
  return "message" in result && typeof result.message === "string" ? result.message : undefined;
}

function textOf(block: unknown): string[] {
  const isText = typeof block === "object" && block !== null && "text" in block && typeof block.text === "string";
  return isText ? [block.text as string] : []; // checked on the line above
}
