/** Names of tools as a vendor accepts them. The same conversation gets the same names in every request. */
import type { NameRule } from "../../catalogue/compat/index.js";
import { shortHash } from "../../utils/hash.js";

/** A diagnostic names so many, each up to this length. */
export const MAX_TOLD = 20;
export const MAX_TOLD_NAME = 100;

/** Replaces an empty name. */
const UNNAMED = "unnamed";

/** Gives each name of a request one that is legal and unique. Names of tools are taken before those of calls. */
export class ToolNames {
  readonly #rule: NameRule;
  /** By the name in the conversation. */
  readonly #sent = new Map<string, string>();
  /** By the name in the request. */
  readonly #given = new Map<string, string>();

  /** @param declared the names of the tools of the request. Legal ones stay. */
  constructor(rule: NameRule, declared: readonly string[]) {
    this.#rule = rule;
    for (const name of declared) if (rule.legal.test(name)) this.#take(name, name);
    for (const name of declared) this.toSent(name);
  }

  /** The name in the request. */
  toSent(name: string): string {
    const known = this.#sent.get(name);
    if (known !== undefined) return known;
    const wanted = this.#rule.legal.test(name) ? name : this.#legalize(name);
    return this.#take(name, this.#given.has(wanted) ? this.#another(wanted, name) : wanted);
  }

  /** The name in the conversation, for one that the model uses. */
  toGiven(name: string): string {
    return this.#given.get(name) ?? name;
  }

  /** The names that differ in the request. */
  get changed(): [given: string, sent: string][] {
    return [...this.#sent].filter(([given, sent]) => given !== sent);
  }

  #take(given: string, sent: string): string {
    this.#sent.set(given, sent);
    this.#given.set(sent, given);
    return sent;
  }

  #legalize(name: string): string {
    const { illegal, legal, madeLength, prefix = "_" } = this.#rule;
    // A name of megabytes is not read to its end.
    const word =
      name
        .slice(0, 2 * madeLength)
        .replace(illegal, "_")
        .slice(0, madeLength) || UNNAMED;
    return legal.test(word) ? word : `${prefix}${word}`.slice(0, madeLength);
  }

  #another(wanted: string, name: string): string {
    for (let count = 0; ; count++) {
      const suffix = `_${shortHash(count === 0 ? name : `${name}#${count}`)}`;
      const candidate = `${wanted.slice(0, this.#rule.madeLength - suffix.length)}${suffix}`;
      if (!this.#given.has(candidate)) return candidate;
    }
  }
}
