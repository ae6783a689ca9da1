/** How each script of each `package.json` is known to start. A script without a row fails `scripts.test.ts`. */

/** The words after `--` that end it soon, and a part of what it prints. */
export interface Started {
  words: readonly string[];
  prints: RegExp;
  /** The script before it builds the packages. Here it runs on their sources. */
  built?: true;
}
/** It consists of other scripts of the same file. */
type Composed = "composed";
/** `.ci/run` runs exactly this. */
type InCi = "in CI";

export type Row = Started | Composed | InCi;

const VITEST: Started = { words: ["--help"], prints: /vitest/ };
const help = (prints: RegExp): Started => ({ words: ["--help"], prints });

export const SCRIPTS: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  // First, because `npm run bench` starts what it builds.
  "bench/package.json": { build: { words: [], prints: /^/ } },
  "package.json": {
    setup: help(/Usage: pnpm install/),
    predemo: "composed",
    demo: { ...help(/npm run demo/), built: true },
    "preweb-chat": "composed",
    "web-chat": { ...help(/A chat in a web page/), built: true },
    preexample: "composed",
    example: { words: ["stream.ts"], prints: /^The Glomma/m, built: true },
    pretest: "composed",
    test: "in CI",
    "pretest:installed": "composed",
    "test:installed": "in CI",
    "pretest:all": "composed",
    "test:all": "in CI",
    format: help(/biome format/),
    lint: "in CI",
    types: "in CI",
    build: "in CI",
    check: "composed",
    "check:packages": "in CI",
    prebench: "composed",
    bench: { ...help(/npm run bench/), built: true },
    predurable: "composed",
    durable: help(/Three workers behind a load balancer/),
    prehosts: "composed",
    hosts: help(/the same programs in every host/),
    presessions: "composed",
    sessions: help(/random sessions of agents/),
    presite: "composed",
    site: help(/Builds the site of the documentation/),
    size: help(/Measures the size of the packages/),
    release: "in CI",
    pretask: "composed",
    task: { words: ["counts"], prints: /agent-loop\.ts, lines/ },
  },
  "packages/ai/package.json": { build: "in CI" },
  "packages/agent/package.json": { build: "in CI" },
  "packages/inspect/package.json": { build: "in CI" },
};

/** The same for what `npm run task` runs. */
export const TASK_ROWS: Readonly<Record<string, Row>> = {
  counts: { words: [], prints: /agent-loop\.ts, lines/ },
  "test:slow": VITEST,
  "apis:generate": { words: ["--check"], prints: /^$/ },
  "new:api": help(/Creates the files of a new api/),
  "new:provider": help(/Adds a provider whose api is built in/),
  "models:update": { words: ["--offline", "--dry-run"], prints: /No differences/ },
  protocols: VITEST,
  faults: VITEST,
  "sessions:storm": "composed",
  "locks:storm": { words: ["--rounds", "2", "--processes", "2"], prints: /"leftOver": 0/ },
  "durable:install": help(/engines/),
  "durable:storm": "composed",
  "route:storm": { words: ["200"], prints: /200 requests, 64 at a time/ },
  "count:error": help(/estimate/),
  vendors: { words: ["3"], prints: /^vendor +rules +requests/ },
  "longest-block": { words: ["tools"], prints: / ms {2}tools of MCP: tools/ },
  handoff: VITEST,
  "docs:api": "in CI",
  "docs:providers": { words: ["--check"], prints: /^/ },
  "inspect:pictures": VITEST,
  "features:files": { words: [], prints: /^3 files: a feature, its test and its page/ },
  "docs:requests": { words: [], prints: /^$/ },
  "docs:models": { words: ["--check"], prints: /^$/ },
  "count:words": { words: [], prints: /words that people have written/ },
  "docs:llms": { words: ["--check"], prints: /^/ },
  "check:nodes": help(/on every supported version of Node/),
  "check:runtimes": help(/Bun and Deno are installed from npm/),
  "bench:agents": help(/interleaved rounds/),
  "size:types": { words: [], prints: /40 typed tools, Zod, defineTool: \d+ instantiations/ },
  "sdks:outdated": help(/bundles and their latest versions/),
  "inlined:osv": help(/known weaknesses/),
  "pack:packages": help(/Builds and packs/),
};
