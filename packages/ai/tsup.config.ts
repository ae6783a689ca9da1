import { basename, dirname } from "node:path";
import { defineConfig, type Options } from "tsup";
import { leaveOut, leaveOutClasses } from "../../scripts/left-out-plugin.ts";
import { collectLicences } from "../../scripts/licences-plugin.ts";
import { listEntries } from "../../scripts/package-entries.ts";
import { throughDoors } from "../../scripts/through-doors-plugin.ts";
import { withoutRequire } from "../../scripts/without-require-plugin.ts";
import { ADAPTERS, ASSEMBLED, GROUPS, groupEntry, ON_DEMAND, useShared } from "./scripts/shared-groups.ts";

/** What is used of another package, in one file of the build. */
interface Used {
  file: string;
  names: readonly string[];
}

/**
 * The vendors' SDKs, by package. Each becomes one file of its own under dist/vendor, loaded at the first call that needs
 * it, so that an install brings neither their packages nor their hundreds of files.
 */
const VENDORS: Readonly<Record<string, Used>> = {
  // The client, without the methods of the API.
  "@anthropic-ai/sdk/client": { file: "anthropic", names: ["BaseAnthropic"] },
  "@aws-sdk/client-bedrock-runtime": { file: "aws", names: ["BedrockRuntimeClient", "ConverseStreamCommand"] },
  // Where it can find credentials.
  "@google/genai/node": { file: "google-node", names: ["GoogleGenAI"] },
  "@google/genai/web": { file: "google", names: ["GoogleGenAI"] },
  oauth4webapi: {
    file: "oauth",
    names: [
      "allowInsecureRequests",
      "authorizationCodeGrantRequest",
      "ClientSecretPost",
      "calculatePKCECodeChallenge",
      "customFetch",
      "deviceAuthorizationRequest",
      "deviceCodeGrantRequest",
      "discoveryRequest",
      "generateRandomCodeVerifier",
      "generateRandomState",
      "None",
      "processAuthorizationCodeResponse",
      "processDeviceAuthorizationResponse",
      "processDeviceCodeResponse",
      "processDiscoveryResponse",
      "processRefreshTokenResponse",
      "refreshTokenGrantRequest",
      "validateAuthResponse",
    ],
  },
  openai: { file: "openai", names: ["AzureOpenAI", "OpenAI"] },
};

/** The vendors whose file depends on the platform; `imports` in package.json chooses it. */
const CONDITIONAL = ["aws", "google-node"];

const vendorFile = (name: string): string => (CONDITIONAL.includes(name) ? `#vendor/${name}` : `./vendor/${name}.js`);

/** The builder of schemas and the check that the proxy makes. The types are part of ours and stay a dependency. */
const TYPEBOX: Readonly<Record<string, Used & { path: string }>> = {
  "@sinclair/typebox": { path: "#typebox", file: "typebox", names: ["Type"] },
  "@sinclair/typebox/value": { path: "./typebox-value.js", file: "typebox-value", names: ["Value"] },
};

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Node's modules that are only loaded in Node, by names under which a bundler for another platform finds a stand-in. */
const conditionalNode: Plugin = {
  name: "conditional-node",
  setup(build) {
    build.onResolve({ filter: /^node:(buffer|fs\/promises|https?|os|path|stream|zlib)$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: path.replace("node:", "#node/"), external: true } : undefined,
    );
  },
};

/** The code of others, each in a file of its own. */
const separate: Plugin = {
  name: "separate",
  setup(build) {
    build.onResolve({ filter: /^[@a-z]/ }, ({ path }) => {
      const file = VENDORS[path] ? vendorFile(VENDORS[path].file) : TYPEBOX[path]?.path;
      return file && { path: file, external: true };
    });
  },
};

/** The entry of a build that has no file: a module with what is used of a package. */
const NO_FILE = "src/index.ts";

function usedOf(name: string, { names }: Used): Plugin {
  return {
    name: "used",
    setup(build) {
      build.onResolve({ filter: /./ }, ({ kind }) =>
        kind === "entry-point" ? { path: name, namespace: "used" } : undefined,
      );
      build.onLoad({ filter: /./, namespace: "used" }, () => ({
        contents: `export { ${names.join(", ")} } from "${name}";`,
        resolveDir: "src",
      }));
    },
  };
}

const common: Options = {
  format: ["esm"],
  target: "es2023",
  platform: "node",
  dts: false,
  clean: false,
  silent: true,
  removeNodeProtocol: false,
};

const { assemble: ASSEMBLE = "", ...ENTRIES } = listEntries(".");

const library: Options = {
  ...common,
  sourcemap: true,
  entry: {
    ...ENTRIES,
    ...Object.fromEntries(Object.entries(ADAPTERS).map(([name, file]) => [name, `src/${file}`])),
  },
  splitting: true,
  treeshake: true,
  noExternal: Object.keys(TYPEBOX),
  esbuildPlugins: [throughDoors, useShared(), conditionalNode, separate],
};

const shared = GROUPS.map(
  (group): Options => ({
    ...common,
    sourcemap: true,
    entry: { [group]: "src/call.ts" },
    splitting: false,
    treeshake: true,
    esbuildPlugins: [throughDoors, useShared(group), groupEntry(group), conditionalNode, separate],
    // Every entry of both packages leads to it.
    ...(group === "core" && { banner: { js: `import "#node";` } }),
  }),
);

/** In a file that shares nothing with other entries, so that a page can leave out the parser of unfinished arguments. */
const assemble: Options = {
  ...common,
  sourcemap: true,
  entry: { assemble: ASSEMBLE },
  splitting: false,
  treeshake: true,
  esbuildPlugins: [throughDoors, useShared(undefined, ASSEMBLED), conditionalNode, separate],
};

const onDemand = ON_DEMAND.map(
  (file): Options => ({
    ...common,
    sourcemap: true,
    entry: { [basename(file, ".ts")]: `src/${file}` },
    splitting: false,
    treeshake: true,
    esbuildPlugins: [throughDoors, useShared(), conditionalNode],
  }),
);

/** Webpack would take a module that can define itself for AMD for nothing else. */
const NO_AMD = { define: "undefined" };

/** Code of others in one file, with its licences. */
function bundleOthers(file: string, source: string, plugins: Plugin[] = []): Options {
  return {
    ...common,
    platform: "browser",
    entry: { [file]: source },
    noExternal: [/.*/],
    minify: true,
    splitting: false,
    treeshake: true,
    define: NO_AMD,
    // The schemas of schemas: no schema is checked against them.
    loader: { ".json": "empty" },
    esbuildPlugins: [collectLicences(`${file}.LICENSE.txt`), ...plugins, throughDoors],
    banner: { js: `/*! The licences are in ${file}.LICENSE.txt */` },
  };
}

const typebox = Object.entries(TYPEBOX).map(([name, used]) => bundleOthers(used.file, NO_FILE, [usedOf(name, used)]));

/** Stands for src/request/validation/ajv.ts: what is required inside a function is bundled all the same, and runs at its first call. */
const LAZY_VALIDATORS = `
  export const loadValidators = () => ({
    Ajv2019: require("ajv/dist/2019.js").Ajv2019,
    Ajv2020: require("ajv/dist/2020.js").Ajv2020,
  });
`;

const validator = bundleOthers("validator", "src/request/validation/json-schema.ts", [
  {
    name: "lazy-validators",
    setup(build) {
      build.onLoad({ filter: /[\\/]validation[\\/]ajv\.ts$/ }, ({ path }) => ({
        contents: LAZY_VALIDATORS,
        loader: "js",
        resolveDir: dirname(path),
      }));
    },
  },
]);

interface VendorBuild {
  /** The package, or the entry of it. */
  name: string;
  used: Used;
  /** Under dist/vendor. */
  file: string;
  platform: "node" | "browser";
}

const vendorBuilds: VendorBuild[] = Object.entries(VENDORS).map(([name, used]) => ({
  name,
  used,
  file: used.file,
  // What can do without Node's own modules is built as for a browser, which takes half the time to load.
  platform: CONDITIONAL.includes(used.file) ? "node" : "browser",
}));

// The browser's own; `imports` in package.json chooses.
vendorBuilds.push(
  ...vendorBuilds
    .filter(({ file }) => file === "aws")
    .map((build) => ({ ...build, file: "aws.browser", platform: "browser" as const })),
);

/**
 * What a client does not need to post JSON and return the raw response, nine tenths of these SDKs: the methods of the
 * API, parsers of responses, uploads, spans, and other credentials than the key that we pass.
 */
const neverReached = leaveOut(
  /[\\/](?:@anthropic-ai[\\/]sdk|openai)[\\/](?:auth|core[\\/](?:credentials|error-classes|pagination|streaming)|internal[\\/](?:decoders|parse|to-file|uploads)|lib|resources)[\\/.]|[\\/]@opentelemetry[\\/]api[\\/]/,
);

/** The same for `@google/genai`, which is one module: all but the model's own methods. */
const neverReachedAtGoogle = leaveOutClasses(
  /[\\/]@google[\\/]genai[\\/]dist[\\/](?:node|web)[\\/]index\.mjs$/,
  /^(?:GeminiNextGen\w+|Agents|Batches|(?:Browser|Node)(?:Down|Up)loader|Caches|Chats?|ClientSDK|Credentials|Documents|Environments|FileSearchStores|Files|HTTPClient|Interactions|Live|LiveMusic|LiveMusicSession|McpCallableTool|Operations|Session|StreamContinuation|Tokens|Triggers|Tunings|Voices|Webhooks)$/,
);

/** What `ws`, `debug` and `node-fetch` use if it is there. */
const OPTIONAL = /^(?:bufferutil|encoding|supports-color|utf-8-validate)$/;

const vendors = vendorBuilds.map(
  ({ name, used, file, platform }): Options => ({
    ...common,
    platform,
    entry: { [`vendor/${file}`]: NO_FILE },
    noExternal: [/.*/],
    minify: true,
    splitting: false,
    treeshake: true,
    // ES modules where a package has both: what is not used is left out (AWS: 338 KB and 50 ms to load, not 488 and 64).
    define: NO_AMD,
    esbuildOptions: (options) => {
      options.mainFields = platform === "browser" ? ["browser", "module", "main"] : ["module", "main"];
    },
    // The licences travel with the code.
    esbuildPlugins: [
      usedOf(name, used),
      collectLicences(`vendor/${file}.LICENSE.txt`),
      platform === "node" ? withoutRequire(OPTIONAL) : conditionalNode,
      neverReached,
      neverReachedAtGoogle,
    ],
    banner: { js: `/*! ${name} and what it needs; the licences are in ${file}.LICENSE.txt */` },
  }),
);

const data: Options = {
  ...common,
  sourcemap: true,
  entry: { catalogue: "src/models.generated.ts" },
  bundle: false,
};

/** What `imports` in package.json chooses from by the platform. */
const platforms: Options = {
  ...common,
  sourcemap: true,
  entry: {
    "node-builtins": "src/utils/node/builtins.ts",
    "no-node-builtins": "src/utils/node/no-builtins.ts",
    "no-node-module": "src/utils/node/no-module.ts",
  },
  bundle: false,
};

/** Calls `require` for the modules beside it, which the end of the build makes of the ES modules. */
const node: Options = {
  ...common,
  format: ["cjs"],
  sourcemap: true,
  entry: { node: "src/node.ts" },
  splitting: false,
  minify: true,
  external: [/^\.\/.*\.cjs$/],
};

export default defineConfig([
  library,
  assemble,
  ...shared,
  ...onDemand,
  ...typebox,
  validator,
  ...vendors,
  data,
  platforms,
  node,
]);
