import { collectSecrets, cutText, redact } from "pi-ai/call";
import { describe, expect, it } from "vitest";

const key = "sk-secret-0123456789";

describe("collectSecrets", () => {
  it("collects keys and values of headers with credentials, without their scheme", () => {
    const secrets = collectSecrets(
      [key, undefined, ""],
      { Authorization: "Bearer token-abcdef", "X-Api-Key": "other-key" },
      undefined,
      {
        "user-agent": "pi-ai/1.0.0",
        cookie: "session=abcdef",
        "proxy-authorization": "Basic dXNlcjpwYXNz",
        "x-api-key": null,
      },
    );
    expect(secrets.sort()).toEqual(
      ["abcdef", "dXNlcjpwYXNz", "other-key", "session=abcdef", key, "token-abcdef"].sort(),
    );
  });

  it("ignores values that are too short to be secrets, or not strings", () => {
    // Plain JavaScript may pass any value.
    expect(collectSecrets(["abc"], { "x-api-key": 5 as unknown as string, token: "12345" })).toEqual([]);
  });

  it("sorts longer secrets first, so that no part of one remains", () => {
    const secrets = collectSecrets(["secret", "secret-longer"]);
    expect(redact("a secret-longer b secret c", secrets)).toBe("a [redacted] b [redacted] c");
  });
});

describe("redact", () => {
  it("hides the beginning of a token of any length, which takes the work of 8000 characters", () => {
    const secrets = collectSecrets(["0123456789abcdef".repeat(10_000)]);
    expect(secrets.join("").length).toBeLessThanOrEqual(8000);
  });

  it.each([600, 8000])("replaces a token of %d characters, in each form", (length) => {
    // Engines refuse one pattern of all of its forms.
    let seed = 1;
    const next = (): string => {
      seed = (seed * 48_271) % 2_147_483_647;
      return "abcdefghijkLMNOPQ0123-_.~"[seed % 25] ?? "";
    };
    const token = Array.from({ length }, next).join("");
    const secrets = collectSecrets([token]);
    const shown = (text: string): string => redact(`bad token ${text} here`, secrets);
    expect(shown(token)).toBe("bad token [redacted] here");
    expect(shown(JSON.stringify({ token }))).toBe('bad token {"token":"[redacted]"} here');
    expect(shown(token.toUpperCase())).toBe("bad token [redacted] here");
    // Of base64, the characters at both ends of a piece depend on the next one.
    expect(shown(btoa(token)).replaceAll("[redacted]", "").length).toBeLessThan(20 + length / 100);
    expect(redact(cutText(`bad token ${token}`, 1000), secrets)).toMatch(/^bad token \[redacted\].{0,5}(?:…|$)/);
  });

  it("replaces every occurrence, and does not treat a secret as a pattern", () => {
    expect(redact(`${key} and ${key}`, [key])).toBe("[redacted] and [redacted]");
    expect(redact("key a.c+d$& here, abccd", ["a.c+d$&"])).toBe("key [redacted] here, abccd");
    expect(redact("nothing here", [key])).toBe("nothing here");
  });

  it.each([6, 10, key.length - 1, key.length])("redacts a secret that was cut to %d characters", (left) => {
    const text = redact(cutText(`bad key ${key} was sent`, 8 + left), [key]);
    expect(text).not.toContain(key.slice(0, 6));
    expect(text).toContain("bad key [redacted]");
    expect(text).toContain("more characters)");
  });

  it("redacts the rest of a secret at each of several cuts", () => {
    const text = `${cutText(`one ${key}`, 12)} and ${cutText(`two ${key}`, 14)}`;
    expect(redact(text, [key])).not.toContain("sk-sec");
  });
});

describe("redact: other forms of a secret", () => {
  const secret = 'sk-Secret/0123+45"67=é\n end';
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const everyByte = (text: string): string =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

  it.each([
    ["in upper case", secret.toUpperCase()],
    ["in lower case", secret.toLowerCase()],
    ["encoded for a URL", encodeURIComponent(secret)],
    ["encoded for a URL twice", encodeURIComponent(encodeURIComponent(secret))],
    ["encoded for a form", new URLSearchParams({ key: secret }).toString().slice(4)],
    ["with every byte encoded", everyByte(secret)],
    ["as JSON", JSON.stringify(secret).slice(1, -1)],
    ["as JSON in JSON", JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ["as JSON with escaped slashes", JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/")],
    ["with Unicode escapes", [...secret].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")],
  ])("redacts a secret %s", (_, form) => {
    expect(redact(`bad key <${form}> was sent`, [secret])).toBe("bad key <[redacted]> was sent");
  });

  it.each(["", "a", "ab", "abc", "user:"])("redacts base64 of a text with %j before the secret", (before) => {
    for (const after of ["", "x", "xy"]) {
      for (const form of [base64, (text: string) => Buffer.from(text).toString("base64url")]) {
        const text = redact(form(`${before}${secret}${after}`), [secret]);
        expect(text).toContain("[redacted]");
        expect(text.length).toBeLessThan("[redacted]".length + 2 * before.length + 8);
      }
    }
  });

  it("redacts the start of an encoded secret at a cut", () => {
    for (const form of [secret.toUpperCase(), encodeURIComponent(secret), base64(secret)]) {
      const text = redact(cutText(`bad key ${form}`, 8 + 10), [secret]);
      expect(text).toContain("bad key [redacted]");
    }
  });

  it("does not change other texts", () => {
    const text = 'sk-Secret is "missing"; see https://x.test/?a=%2F&b=c2stU2VjcmV0';
    expect(redact(text, [secret])).toBe(text);
  });

  it("takes linear time for a hostile text", () => {
    const text = `${"%25".repeat(100_000)}${"\\".repeat(100_000)}${"s".repeat(100_000)}`;
    expect(redact(text, [secret, "%25%25%25", "\\\\\\\\\\\\"])).toBeTypeOf("string");
  });
});
