/** Every import of the packages keeps to the table in packages/ai/test/layers.ts, and every line of the table can be broken. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { listImportedFiles } from "../../../scripts/imports.ts";
import { findViolations, layers, secondDoors } from "./layers.ts";

const PACKAGES = fileURLToPath(new URL("../..", import.meta.url));

/** The path below `packages`, without `src`. */
function nameOf(path: string): string {
  return relative(PACKAGES, path).replaceAll("\\", "/").replace("/src/", "/");
}

const sources = globSync(join(PACKAGES, "{ai,agent,inspect}/src/**/*.ts")).filter(
  (path) => !/\.test\.ts$|\/assets\//.test(path),
);
const folders = [...new Set(sources.map((path) => nameOf(path).split("/").slice(0, 2).join("/")))].filter(
  (name) => !name.endsWith(".ts"),
);
/** The folders and files that stand beside a folder in `src`. */
const beside = (folder: string): string[] => {
  const files = sources.map(nameOf).filter((name) => name.startsWith(`${dirname(folder)}/`));
  const names = files.map((name) => name.split("/")[1] ?? "");
  return [...new Set(names.filter((name) => `${dirname(folder)}/${name}` !== folder))];
};

const rulesOf = (file: string, specifier: string): string[] =>
  findViolations(file, `import { value } from "${specifier}";\n`).map(({ rule }) => rule);

/** The import of a folder or of a file in `src`, from a file in another folder. */
const specifierOf = (name: string): string =>
  name.endsWith(".ts") ? `../${name.slice(0, -3)}.js` : `../${name}/index.js`;

test("every import keeps to the table", () => {
  const found = sources.flatMap((path) => findViolations(nameOf(path), readFileSync(path, "utf8")));
  expect(found.map(({ rule, file, specifier }) => `${file} imports ${specifier} (${rule})`)).toEqual([]);
});

test("no module loads itself, which the CommonJS build could not", () => {
  const loading = sources.filter((path) => listImportedFiles(path).some(({ file }) => resolve(file) === resolve(path)));
  expect(loading.map(nameOf)).toEqual([]);
});

test("every folder has a line, and every line a folder", () => {
  expect([...layers.keys()].sort()).toEqual(folders.sort());
  expect(layers.size).toBeLessThanOrEqual(33);
});

describe.each([...layers])("%s", (folder, allowed) => {
  const file = `${folder}/some-file.ts`;
  const others = beside(folder);
  const whole = new Set(allowed.filter((name) => !name.includes("/")));

  test("may import what its line names", () => {
    for (const name of others.filter((other) => whole.has(other.replace(/\.ts$/, ""))))
      expect([name, rulesOf(file, specifierOf(name))]).toEqual([name, []]);
  });

  test("may import nothing else", () => {
    const forbidden = others.filter((other) => !whole.has(other.replace(/\.ts$/, "")));
    for (const name of forbidden) expect([name, rulesOf(file, specifierOf(name))]).toEqual([name, ["folder"]]);
  });

  test("uses what its line names", () => {
    const own = sources.filter((path) => nameOf(path).startsWith(`${folder}/`));
    const imported = own.flatMap((path) => listImportedFiles(path).map((found) => nameOf(found.file)));
    const unused = allowed.filter((name) => {
      const target = `${dirname(folder)}/${name}`;
      return !imported.some((found) => found === `${target}.ts` || found.startsWith(`${target}/`));
    });
    expect(unused).toEqual([]);
  });
});

describe("a folder", () => {
  test.each(["ai/wire/body-decoder", "ai/message/cost", "ai/request/handoff/wire-items", "agent/loop/agent-run"])(
    "with an index.ts keeps the rest closed: %s",
    (target) => {
      const file = `${target.split("/")[0]}/${target.startsWith("ai") ? "providers" : "state"}/some-file.ts`;
      const specifier = `../${target.split("/").slice(1).join("/")}.js`;
      expect(existsSync(resolve(PACKAGES, target.replace("/", "/src/").concat(".ts")))).toBe(true);
      expect(rulesOf(file, specifier)).toEqual(["door"]);
      expect(findViolations(file, `const loading = import("${specifier}");\n`)).toEqual([]);
      expect(rulesOf(file, `${dirname(specifier)}/index.js`)).toEqual([]);
    },
  );

  test("may have a second door, which is used", () => {
    const imported = sources.flatMap((path) => {
      const from = dirname(nameOf(path));
      const found = listImportedFiles(path).map((one) => nameOf(one.file).replace(/\.ts$/, ""));
      return found.filter((name) => !`${from}/`.startsWith(`${dirname(name)}/`) && from.includes("/"));
    });
    const unused = secondDoors.filter((door) => {
      const pattern = new RegExp(`^${door.replaceAll("*", "[^/]+")}$`);
      return !imported.some((name) => pattern.test(name) && !name.endsWith("/index"));
    });
    expect(unused).toEqual([]);
  });
});

describe("an adapter", () => {
  const file = "ai/providers/anthropic/some-file.ts";

  test("does not know another adapter's folder", () => {
    expect(rulesOf(file, "../mistral/stream.js")).toEqual(["apart"]);
    expect(rulesOf(file, "../mistral/index.js")).toEqual(["apart"]);
  });

  test("uses files of its own folder, those beside it, and the driver", () => {
    for (const specifier of ["./stream.js", "../content.js", "../../driver/index.js", "../../errors.js"])
      expect([specifier, rulesOf(file, specifier)]).toEqual([specifier, []]);
  });
});

describe("a package", () => {
  test.each([
    ["agent/loop/some-file.ts", "../../../ai/src/index.js", "package"],
    ["agent/agent.ts", "../../ai/src/index.js", "package"],
    ["agent/loop/some-file.ts", "pi-agent/session", "name"],
    ["ai/wire/some-file.ts", "pi-agent", "name"],
    ["ai/index.ts", "pi-ai/call", "name"],
    ["inspect/live/some-file.ts", "pi-ai", "name"],
    ["inspect/page/some-file.ts", "node:fs", "name"],
  ])("%s does not import %s", (file, specifier, rule) => {
    expect(rulesOf(file, specifier)).toEqual([rule]);
  });

  test.each([
    ["agent/loop/some-file.ts", "pi-ai/call"],
    ["agent/index.ts", "./loop/agent-run.js"],
    ["inspect/server/some-file.ts", "node:http"],
  ])("%s may import %s", (file, specifier) => {
    expect(rulesOf(file, specifier)).toEqual([]);
  });
});
