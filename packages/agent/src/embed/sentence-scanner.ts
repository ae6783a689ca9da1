/** Finds the ends of sentences, one character at a time. */

type Role = "other" | "terminator" | "wide terminator" | "closer" | "blank" | "digit";

/** A wide terminator ends a sentence without a space; a closer may stand between the end of a sentence and the space. */
const ROLES = new Map<number, Role>([
  ...toEntries(".!?…", "terminator"),
  ...toEntries("。！？", "wide terminator"),
  ...toEntries("\"'”’)]*_」』）", "closer"),
  ...toEntries(" \t\r\n", "blank"),
  ...toEntries("0123456789", "digit"),
]);

/** The roles of the common characters, where a look-up is cheapest. */
const COMMON_ROLES: readonly Role[] = Array.from({ length: 128 }, (_, code) => ROLES.get(code) ?? "other");

export class SentenceScanner {
  #end: "none" | "needs space" | "wide" = "none";
  #previous: Role = "other";

  /** Reads a character. Returns whether a sentence has ended before it. */
  endsBefore(code: number): boolean {
    const role = COMMON_ROLES[code] ?? ROLES.get(code) ?? "other";
    const end = this.#end;
    if (end === "none" && role === "other") {
      this.#previous = role;
      return false;
    }
    if (end !== "none" && role === "closer") return false;
    // After a digit, a full stop more often belongs to a list number than to the end of a sentence.
    if (role === "terminator" && this.#previous !== "digit") this.#end = "needs space";
    else this.#end = role === "wide terminator" ? "wide" : "none";
    this.#previous = role;
    return end === "wide" ? this.#end === "none" : end === "needs space" && role === "blank";
  }
}

function toEntries(characters: string, role: Role): [number, Role][] {
  return Array.from(characters, (character) => [character.charCodeAt(0), role]);
}
