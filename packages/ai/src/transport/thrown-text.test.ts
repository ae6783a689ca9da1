import { describeThrown, MAX_THROWN_TEXT } from "pi-ai/call";
import { describe, expect, test } from "vitest";

describe("describeThrown", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const unprintable = {
    toString: () => {
      throw new Error("no");
    },
  };
  test.each<{ title: string; thrown: unknown; text: string }>([
    { title: "a text", thrown: "plain", text: "plain" },
    { title: "an error", thrown: new TypeError("no such file"), text: "no such file" },
    { title: "an error without a message", thrown: new TypeError(), text: "failed without a message (TypeError)" },
    { title: "an object with a message", thrown: { message: "refused", token: "hidden" }, text: "refused" },
    { title: "an object with its own text", thrown: { toString: () => "code 7" }, text: "code 7" },
    {
      title: "any other object",
      thrown: { config: { password: "hidden" } },
      text: "failed without a message (Object)",
    },
    {
      title: "fetch, which says nothing itself",
      thrown: new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }),
      text: "fetch failed: connect ECONNREFUSED 127.0.0.1:1",
    },
    { title: "fetch without a cause", thrown: new TypeError("fetch failed"), text: "fetch failed" },
    { title: "an error that keeps its cause", thrown: new Error("no", { cause: new Error("hidden") }), text: "no" },
    { title: "an array", thrown: ["hidden"], text: "failed without a message (Array)" },
    { title: "a circular object", thrown: circular, text: "failed without a message (Object)" },
    { title: "an object without a text", thrown: unprintable, text: "failed without a message (Object)" },
    { title: "undefined", thrown: undefined, text: "failed without a message (undefined)" },
    { title: "an empty text", thrown: "", text: "failed without a message (string)" },
  ])("uses the text of $title", ({ thrown, text }) => {
    expect(describeThrown(thrown, [])).toBe(text);
  });

  test("keeps the beginning and the end of a long text, within the limit", () => {
    const text = describeThrown(new Error(`begin ${"😀".repeat(2_500_000)} end`), []);
    expect(text).toMatch(/^begin .* characters cut\) … .* end$/su);
    expect(text.length).toBeLessThanOrEqual(MAX_THROWN_TEXT);
    expect(text.isWellFormed()).toBe(true);
  });

  test.each([
    { title: "a known value", text: "GET /?key=abcdef123456 failed" },
    { title: "a bearer token", text: "sent Authorization: Bearer abcdefgh.ijklmnop" },
    { title: "a password in a URL", text: "cannot reach postgres://me:hunter22@db:5432/x" },
    { title: "a password with a colon in a URL", text: "cannot reach postgres://me:hun:ter22@db:5432/hunter" },
    { title: "a password of a connection string", text: "cannot reach Server=db;Password=hunter22" },
    { title: "a key in a query", text: "GET /?a=1&api_key=abcdefgh&b=2 failed" },
    { title: "a key of a vendor", text: "invalid key sk-proj-abcdefghijklmnop1234" },
    { title: "a token of GitHub", text: "invalid github_pat_11ABCDE0abcdefghijklmnop" },
    { title: "a JSON web token", text: "invalid eyJhbGciOiJIUzI1NiJ9.eyJabcdefgh.abcdef" },
    { title: "a JSON web token behind a dash", text: "invalid jwt-eyJhbGciOiJIUzI1NiJ9.eyJabcdefgh.abcdef" },
    { title: "a private key", text: "invalid -----BEGIN PRIVATE KEY-----\nMIIabcdef\n-----END PRIVATE KEY-----" },
  ])("redacts $title", ({ text }) => {
    const clean = describeThrown(text, ["abcdef123456"]);
    expect(clean).toContain("[redacted]");
    expect(clean).not.toMatch(/abcdef|hun:?ter22/);
  });

  test("does not change ordinary words", () => {
    const text = "Basic authentication failed: the bearer credentials at https://example.com:8080/a are wrong";
    expect(describeThrown(text, [])).toBe(text);
  });
});

test("reads the ends of a long text only", () => {
  const text = `begin ${"Bearer x ".repeat(3_000_000)} sk-0123456789abcdef0123 end`;
  const described = describeThrown(new Error(text), []);
  expect(described.length).toBeLessThanOrEqual(2048);
  expect(described).toMatch(/^begin .* \(\d+ characters cut\) .*\[redacted\] end$/);
  expect(described).toContain(
    `(${text.length - 2048 - "sk-0123456789abcdef0123".length + "[redacted]".length} characters cut)`,
  );
});
