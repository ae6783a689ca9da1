/**
 * docs/errors.md has a section for every kind of failure and for every class of errors that users can import, and lists exactly the
 * texts that the sources of the packages give their errors.
 */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { collectErrorTexts } from "./support/error-texts.js";

const ROOT = resolve(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/errors.md"), "utf8");
/** Errors that no entry exports: a user sees the error that they become. */
const INTERNAL = [
  "OperationAborted",
  "PausedError",
  "Problem",
  "ProxyRefusal",
  "QuestionError",
  "Refusal",
  "RouteEnd",
  "TooDeepError",
  "TooManyStepsError",
  "TooMuchWorkError",
];

function headingsUnder(title: string): string[] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
  return [...section.matchAll(/^### (.*)$/gm)].map(([, heading = ""]) => heading);
}

function namesIn(pattern: string, name: RegExp): string[] {
  const files = globSync(pattern, { cwd: ROOT }).filter((file) => !file.endsWith(".test.ts"));
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(name)].map(([, found = ""]) => found),
  );
}

describe("the page of errors", () => {
  it("has a section for each kind, and for no other", () => {
    const source = readFileSync(join(ROOT, "packages/ai/src/types/message.ts"), "utf8");
    const [, union = ""] = /export type ErrorKind =([^;]*);/.exec(source) ?? [];
    const kinds = [...union.matchAll(/"(\w+)"/g)].map(([, kind]) => kind);
    expect(kinds.length).toBeGreaterThan(10);
    expect(headingsUnder("Kinds").sort()).toEqual(kinds.sort());
  });

  it("has a section for each class of errors", () => {
    const classes = namesIn("packages/{ai,agent}/src/**/*.ts", /class (\w+) extends (?:\w*Error)\b/g);
    const known = classes.filter((name) => !INTERNAL.includes(name));
    expect([...new Set(headingsUnder("Classes"))].sort()).toEqual([...new Set(known)].sort());
  });

  it("lists every text, and no other", () => {
    const rows = PAGE.slice(PAGE.indexOf("\n## Texts\n"))
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    const cells = rows.map((row) => row.split(/(?<!\\)\|/)[1] ?? "");
    const listed = cells.flatMap((cell) =>
      [...cell.matchAll(/(?:`` (.*?) ``|`([^`]+)`)(?=<br>| $)/g)].map(([, a, b]) => a ?? b ?? ""),
    );
    const written = new Set([...collectErrorTexts().values()].flat());
    expect(written.size).toBeGreaterThan(400);
    expect(listed.map((text) => text.replaceAll("\\|", "|")).sort()).toEqual([...written].sort());
  });

  it("shows kinds of answers that exist", () => {
    const source = readFileSync(join(ROOT, "packages/agent/src/errors.ts"), "utf8");
    const [, union = ""] = /export type AnswerErrorKind =([^;]*);/.exec(source) ?? [];
    const kinds = [...union.matchAll(/"(\w+)"/g)].map(([, kind]) => kind);
    const section = PAGE.slice(PAGE.indexOf("### AnswerError"), PAGE.indexOf("### RunStopped"));
    expect(
      [...section.matchAll(/^\| `(\w+)` \| \w/gm)]
        .map(([, kind]) => kind)
        .filter((kind) => kind !== "kind")
        .sort(),
    ).toEqual(kinds.sort());
  });
});
