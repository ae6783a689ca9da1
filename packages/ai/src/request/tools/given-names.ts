/** Turns the names that a vendor was sent back into those of the application. */
import type { PropertyNames } from "../schema/index.js";
import { KeyRestorer } from "./restore-keys.js";
import type { ToolNames } from "./tool-names.js";

export class GivenNames {
  readonly #tools: ToolNames;
  readonly #properties: ReadonlyMap<string, PropertyNames>;

  /** @param properties by the name of the tool that the application knows */
  constructor(tools: ToolNames, properties: ReadonlyMap<string, PropertyNames>) {
    this.#tools = tools;
    this.#properties = properties;
  }

  /** The name of a tool that a response calls. */
  tool(sent: string): string {
    return this.#tools.toGiven(sent);
  }

  /** Reads the arguments of one call; undefined if none of its properties has another name. */
  restorerFor(sent: string): KeyRestorer | undefined {
    const properties = this.#properties.get(this.tool(sent));
    return properties && new KeyRestorer(properties.root);
  }

  /** A choice of tools, in the form of any api, with the names that are sent. */
  choiceToSent(choice: unknown): unknown {
    const changed = new Map(this.#tools.changed);
    const replace = (value: unknown, depth: number): unknown => {
      if (typeof value === "string") return changed.get(value) ?? value;
      if (typeof value !== "object" || value === null || depth === 0) return value;
      if (Array.isArray(value)) return value.map((item) => replace(item, depth - 1));
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item, depth - 1)]));
    };
    return replace(choice, 6);
  }
}
