/** Fits one tool to what the vendor accepts: its schema, its description and its examples. */
import type { ToolRules } from "../../catalogue/compat/index.js";
import { ConfigError, cutText } from "../../errors.js";
import type { RequestNote } from "../../transport/index.js";
import type { Tool } from "../../types/context.js";
import { sanitizeSurrogates, toWellFormed } from "../../utils/sanitize-unicode.js";
import { DialectBudget, fitDialect, type PropertyNames, renameProperties, withWords } from "../schema/index.js";
import { MAX_TOLD, MAX_TOLD_NAME } from "./tool-names.js";

export { assertTools } from "./check-tools.js";

export interface FittedTool {
  /** The tool itself, if nothing of it is changed. */
  tool: Tool;
  renamed: PropertyNames | undefined;
}

/** The fitting of all tools of a request, which share the room for schemas. Changes are added to the notes. */
export function createFitting({ schema: dialect }: ToolRules, notes: RequestNote[]): (tool: Tool) => FittedTool {
  const budget = new DialectBudget();
  return (tool) => {
    const { schema, changes } = fitDialect(tool.parameters, dialect, budget);
    const renamed = renameProperties(schema, dialect);
    if (renamed) changes.push(`root: renamed the properties ${namesOf(renamed)}`);
    const sent = renamed?.schema ?? schema;
    const wellFormed = toWellFormed(sent);
    if (wellFormed !== sent) changes.push("root: left out halves of characters");
    const { description, rest } = cutDescription(describe(tool, renamed), dialect.descriptionLength);
    if (rest !== "") changes.push("root: moved the end of the tool's description into that of its parameters");
    const parameters = rest === "" ? wellFormed : withWords(wellFormed, [rest]);
    if (changes.length > 0)
      notes.push({ type: "schema_narrowed", details: { schema: tool.name, changes, source: dialect.source } });
    const isSame = description === tool.description && parameters === tool.parameters;
    return { tool: isSame ? tool : { ...tool, description, parameters }, renamed };
  };
}

function namesOf({ renamed }: PropertyNames): string {
  return [...renamed.keys()]
    .slice(0, MAX_TOLD)
    .map((name) => JSON.stringify(cutText(name, MAX_TOLD_NAME)))
    .join(", ");
}

/** Sample calls are words here: only one provider has a field for them, and it refuses those that its form of the schema does not fit. */
function describe({ name, description, examples = [] }: Tool, renamed: PropertyNames | undefined): string {
  if (!Array.isArray(examples)) throw new ConfigError(`The examples of the tool ${name} must be a list of arguments.`);
  const shown = examples.map((example) => JSON.stringify(renamed?.root.toSentArguments(example) ?? example));
  const parts = [
    ...(renamed ? [describeNames(description, renamed)] : []),
    ...(shown.length > 0 ? [`Examples of arguments:\n${shown.join("\n")}`] : []),
  ].filter(Boolean);
  return parts.length > 0 ? [description, ...parts].filter(Boolean).join("\n\n") : description;
}

/** So many names are looked for in a description. */
const MAX_SPOKEN = 100;

/** The description speaks of properties by the names that the application knows. */
function describeNames(description: unknown, { renamed }: PropertyNames): string {
  const spoken = [...renamed]
    .slice(0, MAX_SPOKEN)
    .filter(([name]) => typeof description === "string" && name && description.includes(name));
  return spoken
    .slice(0, MAX_TOLD)
    .map(([name, sent]) => `In the arguments, ${cutText(name, MAX_TOLD_NAME)} is written ${sent}.`)
    .join(" ");
}

function cutDescription(given: string, maxLength = Number.POSITIVE_INFINITY): { description: string; rest: string } {
  // Tools written by hand may lack it.
  if (typeof given !== "string") return { description: given ?? undefined, rest: "" };
  const description = sanitizeSurrogates(given);
  if (description.length <= maxLength) return { description, rest: "" };
  const space = description.lastIndexOf(" ", maxLength);
  const end = space > maxLength / 2 ? space : maxLength;
  return {
    description: sanitizeSurrogates(description.slice(0, end)),
    rest: sanitizeSurrogates(description.slice(end).trim()),
  };
}
