/** Derives tool names that every vendor accepts. */

/** The strictest rule, of Gemini and OpenAI: at most 64 letters, digits, `_` and `-`, and neither digit nor `-` first. */
const ALLOWED = /^[a-z_][\w-]{0,63}$/i;

/**
 * Returns the name of each tool, by its name on the server. A valid name stays. Any other is cut and gets a hash of the
 * whole name, so that it does not depend on the other tools.
 */
export function nameTools(names: readonly string[]): Map<string, string> {
  const taken = new Set(names);
  return new Map(
    names.map((name) => {
      let fitting = name;
      for (let salt = name; !ALLOWED.test(fitting) || (fitting !== name && taken.has(fitting)); salt += " ")
        fitting = `${name
          .replace(/\W/g, "_")
          .replace(/^(?=\d)/, "_")
          .slice(0, 55)}_${hashOf(salt)}`;
      taken.add(fitting);
      return [name, fitting];
    }),
  );
}

/** FNV-1a, 32 bits, in base 36: at most 7 characters. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}
