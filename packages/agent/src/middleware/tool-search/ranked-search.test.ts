import type { AnyAgentTool } from "pi-agent";
import { describe, expect, test } from "vitest";
import { rankTools } from "./ranked-search.js";

const tool = (name: string, description: string, parameters: object = {}): AnyAgentTool => ({
  name,
  description,
  parameters: { type: "object", ...parameters },
  execute: async () => "",
});

const TOOLS = [
  tool("github_create_issue", "Create an issue in a repository", { properties: { title: {}, body: {} } }),
  tool("github_listIssues", "List issues of a repository, with filters"),
  tool("calendar_create_event", "Create an event", {
    properties: { start: { description: "When the meeting begins" } },
  }),
  tool("mail_send", "Send a message to somebody"),
  tool("weather", "天気予報を調べる"),
];

const find = (query: string): string[] => rankTools(TOOLS, query).map(({ name }) => name);

describe("the ranking", () => {
  test.each([
    ["create issue", "github_create_issue"],
    ["list the issues", "github_listIssues"],
    ["LIST ISSUES", "github_listIssues"],
    ["meeting", "calendar_create_event"],
    ["title", "github_create_issue"],
    ["mail", "mail_send"],
    ["予報", "weather"],
    ["mail_send", "mail_send"],
  ])("of %j begins with %s", (query, best) => {
    expect(find(query)[0]).toBe(best);
  });

  test.each(["", "   ", "§$%", "zebra"])("of %j is empty", (query) => {
    expect(find(query)).toEqual([]);
  });

  test("prefers a rare word to a common one", () => {
    const common = ["a", "b", "c", "d"].map((name) => tool(name, "Create a thing"));
    const found = rankTools([...common, tool("e", "Removes a zebra")], "create zebra");
    expect(found[0]?.name).toBe("e");
  });

  test("reads a bounded part of hostile descriptions and queries", () => {
    const long = tool("long", `${"word ".repeat(100_000)}secret`);
    expect(rankTools([long], "secret")).toEqual([]);
    expect(rankTools([long], `${" x".repeat(100_000)} word`)).toEqual([]);
    const wide = { properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, null])) };
    expect(rankTools([tool("wide", "", wide)], "p49999")).toEqual([]);
    expect(rankTools([tool("odd", "", { properties: "none" })], "odd")).toHaveLength(1);
  });
});
