import { describe, expect, it, vi } from "vitest";
import { countSteps, worstTexts } from "../../../../test/support/regex-steps.js";
import { budget } from "../../../../test/support/suite.js";
import { respond } from "../server/api.js";
import { RULES, redactCredentials, redactSection } from "./credentials.js";
import type { Section } from "./entry.js";
import { titleOf } from "./fields.js";
import { Run } from "./run.js";
import { RunStore } from "./run-store.js";

// Split, so that secret scanners do not report them.
const KEYS = {
  openai: `sk-${"proj-0123456789abcdef"}`,
  anthropic: `sk-ant-${"api03-0123456789_abcdef"}`,
  aws: `AKIA${"IOSFODNN7EXAMPLE"}`,
  google: `AIza${"SyA0123456789abcdefghijklmnopqrstu"}`,
  github: `ghp_${"0123456789abcdefghijABCDEFGHIJ"}`,
  slack: `xoxb-${"0123456789-abcdef"}`,
  token: `eyJhbGciOiJIUzI1NiJ9.${"eyJzdWIiOiIxMjM0NTY3ODkwIn0"}.abcdefghijkl`,
};

describe("redactCredentials", () => {
  it.each(Object.entries(KEYS))("replaces a key that has the form of: %s", (_, key) => {
    for (const text of [key, `"${key}"`, `Key ${key}.`, JSON.stringify({ a: JSON.stringify({ key }) }), `${key}\n`])
      expect(redactCredentials(text)).not.toContain(key.slice(8));
  });

  it.each([
    ["Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
    ["authorization: Bearer abcdef", "abcdef"],
    ["the header is Bearer 0123456789abcdef", "0123456789abcdef"],
    ['{"x-api-key": "hunter2"}', "hunter2"],
    [String.raw`"{\"x-api-key\":\"hunter2\"}"`, "hunter2"],
    ['{"Set-Cookie":"session=hunter2; Path=/"}', "hunter2"],
    ["Cookie: a=hunter2; b=hunter2", "hunter2"],
    ["curl -H 'x-api-key: hunter2' https://api.test", "hunter2"],
    ["https://api.test/v1?alt=sse&key=hunter2&a=b", "hunter2"],
    ["https://api.test/v1?access_token=hunter2#x", "hunter2"],
    ["postgres://user:hunter2@db.test/chat", "hunter2"],
    ['{"password":"hunter2"}', "hunter2"],
    ['{"authorization_token": "hunter2"}', "hunter2"],
    ["-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----", "hunter2"],
  ])("replaces the value in %s", (text, secret) => {
    const clean = redactCredentials(text);
    expect(clean).not.toContain(secret);
    expect(clean).toContain("[redacted]");
  });

  it.each([
    "const { apiKey, password }: { apiKey: string; password: string } = process.env;",
    "The key is to ask. A token is about four characters.",
    '{"max_tokens":1000,"input_tokens":5,"key":"value","tokenizer":"basic"}',
    "https://example.test/a?q=keyboard&page=2",
    "disk-usage-of-the-whole-machine, task-list-with-many-words",
    "basic training, bearer of bad news",
  ])("does not change %s", (text) => {
    expect(redactCredentials(text)).toBe(text);
  });

  it("keeps JSON valid", () => {
    const value = { headers: { authorization: `Bearer ${KEYS.openai}`, cookie: 'a="b\\c"' }, list: [KEYS.aws, "x"] };
    const clean: unknown = JSON.parse(redactCredentials(JSON.stringify(value)));
    expect(clean).toMatchObject({ headers: { authorization: "[redacted]" }, list: ["[redacted]", "x"] });
  });

  it.each([
    `token-${KEYS.token}`,
    `x_${KEYS.token}`,
    `/${KEYS.token}/`,
    `a.b.${KEYS.token}.c`,
    `-----BEGIN ${"A".repeat(100_000)}\n-----BEGIN PRIVATE KEY-----\n${KEYS.token}\n-----END PRIVATE KEY-----`,
  ])("finds a token behind other characters", (text) => {
    expect(redactCredentials(text)).not.toContain(KEYS.token.slice(20));
  });
});

/** A match of each rule, in the order of the rules. */
const MATCHES = [
  `-----BEGIN RSA PRIVATE KEY-----\n${"a".repeat(12)}\n-----END RSA PRIVATE KEY-----`,
  String.raw`proxy-authorization\\"  :  \\"hunter2`,
  String.raw`"client_secret\\"  :  \\"hunter2`,
  "?access_token=hunter2",
  "bearer  0123456789abcdef",
  "://user:hunter2@",
  "sk-0123456789abcdef-",
  KEYS.github,
  KEYS.aws,
  KEYS.token,
];

/** The most steps for each character. The rules with lists of names compare each character with some twenty of them. */
const STEPS = 150;
const LENGTH = budget({ quick: 1000, all: 20_000 });

describe.each(RULES.map(([pattern], index) => [pattern.source.slice(0, 40), pattern, MATCHES[index] ?? ""] as const))(
  "the rule %s",
  (_title, pattern, match) => {
    it("takes linear time for the worst texts", () => {
      expect(match.replace(pattern, "")).not.toBe(match);
      for (const text of worstTexts(match, LENGTH))
        expect(countSteps(pattern, text), text.slice(0, 100)).toBeLessThan(STEPS * text.length);
    });
  },
);

it("counts quadratic steps for a rule whose attempts read the rest", () => {
  expect(countSteps(/\beyJ[\w-]{10,}\.eyJ[\w-]{10,}/g, "-eyJ".repeat(1000))).toBeGreaterThan(200 * 4000);
});

it("reads no more of a long text than is shown, and a credential at the cut", () => {
  const secret = "x".repeat(50);
  const text = `${"a ".repeat(45)}"password":"${secret}" ${"b".repeat(1_000_000)}`;
  const replace = vi.spyOn(String.prototype, "replace");
  const section = redactSection({ kind: "text", title: "", text }, 120);
  const read = replace.mock.contexts.map((context) => String(context).length);
  replace.mockRestore();
  expect(Math.max(...read)).toBeLessThan(20_000);
  expect(section).toMatchObject({
    text: expect.stringMatching(/^(a ){45}"password":"\[redacted\]" b*\n… \d+ more characters$/),
  });
});

it("redacts every kind of section", () => {
  const sections: Section[] = [
    { kind: "text", title: "Text", text: KEYS.openai },
    {
      kind: "table",
      title: "Table",
      rows: [
        ["x-api-key", "hunter2"],
        ["Status", "200"],
        ["Key", KEYS.aws],
      ],
    },
    { kind: "difference", title: "Difference", summary: "", before: KEYS.google, after: KEYS.github },
  ];
  const clean = JSON.stringify(sections.map((section) => redactSection(section)));
  for (const key of [...Object.values(KEYS), "hunter2"]) expect(clean).not.toContain(key);
  expect(clean).toContain('["Status","200"]');
});

it("sends no key to the page, wherever it is in a run", async () => {
  const store = new RunStore();
  const run = new Run({ id: "a", title: "", source: "live", model: "m" });
  store.add(run);
  const text = (title: string): Section[] => [{ kind: "text", title, text: KEYS.openai }];
  run.add({ kind: "message", name: "user", title: titleOf(KEYS.openai), outcome: "done", turn: 0 }, () => text("Text"));
  run.add(
    { kind: "request", name: "m", title: "", outcome: "done", turn: 1 },
    () => text("Text"),
    () => text("Prompt"),
  );
  run.update(1, { title: titleOf(`${"x".repeat(190)} ${KEYS.openai}`) });
  run.copyTest = () => ({ files: { "run.json": JSON.stringify({ key: KEYS.openai }) } });
  const none = new URLSearchParams();
  const paths = [
    ["runs"],
    ["runs", "a", "entries"],
    ["runs", "a", "entries", "0"],
    ["runs", "a", "entries", "1"],
    ["runs", "a", "test"],
  ];
  const shown = JSON.stringify(await Promise.all(paths.map((path) => respond(store, path, none))));
  expect(shown).not.toContain(KEYS.openai);
  expect(shown.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(6);
  // A search must not reveal whether a key is there.
  expect(await respond(store, ["runs", "a", "search"], new URLSearchParams({ q: KEYS.openai }))).toEqual({
    hits: [],
    more: false,
  });
});
