/** The shared part of the validators: a list of broken rules, and rules that hold for every JSON wire format. */

export type Fields = Record<string, unknown>;

/** Collects the rules that a request breaks, each with its place. */
export class Faults {
  readonly list: string[] = [];

  check(holds: unknown, place: string, rule: string): void {
    if (!holds) this.list.push(`${place}: ${rule}`);
  }

  /** Vendors reject unknown fields. */
  fields(value: Fields, allowed: readonly string[], place: string): void {
    for (const name of Object.keys(value)) this.check(allowed.includes(name), place, `unknown field ${name}`);
  }

  /** Requires exactly one member of a union. */
  union(value: Fields, members: readonly string[], place: string): string {
    const given = members.filter((name) => value[name] !== undefined);
    this.check(given.length === 1, place, `one of ${members.join(", ")}, not ${given.join(" and ") || "none"}`);
    return given[0] ?? "";
  }
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function isFields(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a non-blank text. */
export function isSaid(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

export function isBase64(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length % 4 === 0 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(value);
}

export function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}

/** Whether a text is an object in JSON. */
export function isObjectText(value: unknown): boolean {
  try {
    return typeof value === "string" && isFields(JSON.parse(value));
  } catch {
    return false;
  }
}

/** JSON text must be valid Unicode (RFC 8259, section 8.2, 2017-12); servers reject lone surrogates. */
export function checkUnicode(body: unknown, faults: Faults, place = "body"): void {
  if (typeof body === "string") faults.check(body.isWellFormed(), place, "half a surrogate pair");
  else if (typeof body === "object" && body !== null) {
    for (const [name, value] of Object.entries(body)) {
      faults.check(name.isWellFormed(), place, "half a surrogate pair in a name");
      checkUnicode(value, faults, `${place}.${name}`);
    }
  }
}
