import { describe, expect, it } from "vitest";
import { cutText } from "../errors.js";
import { collectSecrets, redact } from "./redact.js";

const key = "sk-secret-0123456789";

describe("collectSecrets", () => {
  it("takes keys and the values of headers that carry credentials, without their scheme", () => {
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

  it("leaves values alone that are too short to be secrets, or no text", () => {
    // Callers in plain JavaScript pass what they like.
    expect(collectSecrets(["abc"], { "x-api-key": 5 as unknown as string, token: "12345" })).toEqual([]);
  });

  it("puts the longer of two secrets first, so that none is left in part", () => {
    const secrets = collectSecrets(["secret", "secret-longer"]);
    expect(redact("a secret-longer b secret c", secrets)).toBe("a [redacted] b [redacted] c");
  });
});

describe("redact", () => {
  it("replaces every occurrence, and takes a secret for no pattern", () => {
    expect(redact(`${key} and ${key}`, [key])).toBe("[redacted] and [redacted]");
    expect(redact("key a.c+d$& here, abccd", ["a.c+d$&"])).toBe("key [redacted] here, abccd");
    expect(redact("nothing here", [key])).toBe("nothing here");
  });

  it.each([6, 10, key.length - 1, key.length])("hides a secret of which a cut left %d characters", (left) => {
    const text = redact(cutText(`bad key ${key} was sent`, 8 + left), [key]);
    expect(text).not.toContain(key.slice(0, 6));
    expect(text).toContain("bad key [redacted]");
    expect(text).toContain("more characters)");
  });

  it("hides the rest of a secret at each of several cuts", () => {
    const text = `${cutText(`one ${key}`, 12)} and ${cutText(`two ${key}`, 14)}`;
    expect(redact(text, [key])).not.toContain("sk-sec");
  });
});
