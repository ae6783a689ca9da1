/** What the Messages API refuses. The same holds for Claude behind Converse where a row of Bedrock says so. */
import type { Rule } from "../../rule.js";
import { ANTHROPIC_CONTENT } from "./content.js";
import { ANTHROPIC_THINKING } from "./thinking.js";
import { ANTHROPIC_TOOLS } from "./tools.js";

export const ANTHROPIC_RULES: readonly Rule[] = [...ANTHROPIC_TOOLS, ...ANTHROPIC_CONTENT, ...ANTHROPIC_THINKING];
