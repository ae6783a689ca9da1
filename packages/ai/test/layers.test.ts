/** Tests the layer rules of biome.json by violating them. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BIOME = join(ROOT, "node_modules/.bin/biome");
const PACKAGES = ["packages/ai/src", "packages/agent/src", "packages/inspect/src"];

/** A folder, and an import that is forbidden in all of its files. */
const VIOLATIONS: readonly [folder: string, specifier: string][] = [
  ["packages/ai/src/message", "../wire/sse.js"],
  ["packages/ai/src/catalogue/compat", "../runtime/run-adapter.js"],
  ["packages/ai/src/middleware/watch-cache", "../providers/content.js"],
  ["packages/ai/src/middleware/cached-content", "../proxy-server/cors.js"],
  ["packages/ai/src/tokens", "../proxy-server/cors.js"],
  ["packages/ai/src/entries", "../index.js"],
  ["packages/ai/src/catalogue/env", "../providers/content.js"],
  ["packages/ai/src/message", "../assemble/cost.js"],
  ["packages/ai/src/testing/faux", "../providers/content.js"],
  ["packages/ai/src/utils/file-lock", "../transport/headers.js"],
  ["packages/ai/src/request/handoff", "../transport/headers.js"],
  ["packages/ai/src/request", "../runtime/run-adapter.js"],
  ["packages/ai/src/wire/json", "../models/catalogue.js"],
  ["packages/ai/src/middleware", "../providers/content.js"],
  ["packages/ai/src/models", "../providers/content.js"],
  ["packages/ai/src/object", "../providers/content.js"],
  ["packages/ai/src/oauth", "../providers/content.js"],
  ["packages/ai/src/middleware/trace", "../runtime/run-adapter.js"],
  ["packages/ai/src/providers", "../../index.js"],
  ["packages/ai/src/providers", "../proxy-server/cors.js"],
  ["packages/ai/src/providers/anthropic", "../mistral/stream.js"],
  ["packages/ai/src/providers/anthropic", "../../proxy-server/cors.js"],
  ["packages/ai/src/providers/openai-completions", "../openai-responses/messages.js"],
  ["packages/ai/src/server", "../index.js"],
  ["packages/ai/src/server", "../entries/call.js"],
  ["packages/ai/src/driver", "../providers/content.js"],
  ["packages/ai/src/driver", "../sdk/openai.js"],
  ["packages/ai/src/request/schema", "../providers/content.js"],
  ["packages/ai/src/request/context-management", "../providers/content.js"],
  ["packages/ai/src/request/server-tools", "../providers/content.js"],
  ["packages/ai/src/middleware/route", "../providers/content.js"],
  ["packages/ai/src/transport/sdk", "../runtime/run-adapter.js"],
  ["packages/ai/src/testing", "../proxy-server/cors.js"],
  ["packages/ai/src/transport", "../assemble/cost.js"],
  ["packages/ai/src/transport", "../providers/content.js"],
  ["packages/ai/src/types", "../assemble/cost.js"],
  ["packages/ai/src/utils", "../wire/sse.js"],
  ["packages/ai/src/request/validation", "../transport/headers.js"],
  ["packages/ai/src/wire", "../transport/headers.js"],
  ["packages/agent/src/middleware/approvals", "../loop/turn.js"],
  ["packages/agent/src/middleware/compact", "../loop/turn.js"],
  ["packages/agent/src/middleware/durable", "../loop/turn.js"],
  ["packages/agent/src/embed", "../loop/turn.js"],
  ["packages/agent/src/entries", "../index.js"],
  ["packages/agent/src/middleware/limits", "../loop/turn.js"],
  ["packages/agent/src/loop", "../state/agent-state.js"],
  ["packages/agent/src/loop", "../../../ai/src/index.js"],
  ["packages/agent/src/stores/events", "../session/session-log.js"],
  ["packages/agent/src/stores", "../session/session-log.js"],
  ["packages/agent/src/tools/mcp", "../agent.js"],
  ["packages/agent/src/middleware/trace", "../agent.js"],
  ["packages/agent/src/proxy", "../agent.js"],
  ["packages/agent/src/stores/session", "../loop/turn.js"],
  ["packages/agent/src/serve/sse", "../agent.js"],
  ["packages/agent/src/serve", "../agent.js"],
  ["packages/agent/src/serve/ui-stream", "../agent.js"],
  ["packages/agent/src/serve/ag-ui", "../ui-stream/data-url.js"],
  ["packages/agent/src/state", "../agent.js"],
  ["packages/agent/src/middleware/output", "../agent.js"],
  ["packages/agent/src/loop", "../agent.js"],
  ["packages/ai/src/node", "../index.js"],
  ["packages/agent/src/loop/settings", "../agent.js"],
  ["packages/agent/src/types", "../agent.js"],
  ["packages/inspect/src/entries", "../page/main.js"],
  ["packages/inspect/src/fork", "../live/watch-agent.js"],
  ["packages/inspect/src/live", "../server/api.js"],
  ["packages/inspect/src/page", "../read/cassette.js"],
  ["packages/inspect/src/read", "../server/api.js"],
  ["packages/inspect/src/record", "../server/api.js"],
  ["packages/inspect/src/record", "pi-agent"],
  ["packages/inspect/src/server", "../live/watch-agent.js"],
];

const ALLOWED: readonly [folder: string, specifier: string][] = [
  ["packages/ai/src/providers/anthropic", "../content.js"],
  ["packages/ai/src/providers/anthropic", "./stream.js"],
  ["packages/ai/src/providers/anthropic", "../../runtime/api-adapter.js"],
  ["packages/ai/src/driver", "../transport/retry.js"],
  ["packages/agent/src/loop", "../types/message.js"],
  ["packages/inspect/src/read", "../record/run.js"],
];

let folder: string;
/** The files with a forbidden import. */
let found: Set<string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "layers-"));
  cpSync(join(ROOT, "biome.json"), join(folder, "biome.json"));
  execFileSync("git", ["init", "--quiet", folder]);
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  for (const [place, specifier] of [...VIOLATIONS, ...ALLOWED]) {
    const path = join(folder, fileOf(place, specifier));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `import { value } from "${specifier}";\n\nexport const other: unknown = value;\n`);
  }
  const rule = "--only=style/noRestrictedImports";
  const { stdout } = spawnSync(BIOME, ["lint", rule, "--reporter=json", "--max-diagnostics=none", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  const { diagnostics } = JSON.parse(stdout);
  found = new Set(diagnostics.map((one: { location: { path: unknown } }) => pathOf(one.location.path)));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(place: string, specifier: string): string {
  return `${place}/imports-${specifier.replaceAll(/[^a-z]+/g, "-")}.ts`;
}

function pathOf(path: unknown): string {
  const text = typeof path === "object" && path !== null && "file" in path ? path.file : path;
  return String(text).replace(/^\.\//, "");
}

describe("a forbidden import", () => {
  test.each(VIOLATIONS)("%s imports %s", (place, specifier) => {
    expect(found).toContain(fileOf(place, specifier));
  });
});

describe("an allowed import", () => {
  test.each(ALLOWED)("%s imports %s", (place, specifier) => {
    expect(found).not.toContain(fileOf(place, specifier));
  });
});

test("every folder has a rule, which is tested here", () => {
  const folders = PACKAGES.flatMap((path) =>
    readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`${path}/${entry.name}`] : [],
    ),
  );
  const overrides: { includes: string[] }[] = JSON.parse(readFileSync(join(ROOT, "biome.json"), "utf8")).overrides;
  const covered = new Set(overrides.flatMap(({ includes }) => includes));
  expect(folders.filter((name) => !covered.has(`${name}/**`))).toEqual([]);
  const tried = new Set(VIOLATIONS.map(([place]) => place));
  expect(folders.filter((name) => !tried.has(name))).toEqual([]);
});
