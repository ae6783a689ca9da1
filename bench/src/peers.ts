/** The libraries to compare with, one row each. */

export type ClientName =
  | "floor"
  | "ours"
  | "pi"
  | "pi-0"
  | "vendor-sdks"
  | "ai-sdk"
  | "openai-agents"
  | "langchain"
  | "jsonriver"
  | "partial-json";

export interface Peer {
  /** The module in `clients/`, and the folder in `.peers/`. */
  name: ClientName;
  label: string;
  /** The package whose version is shown beside the label. */
  versionOf?: string;
  /** Packages and versions in npm's notation. */
  packages: Record<string, string>;
  /** Folders in `stand-ins/` for dependencies that were never published. */
  standIns?: Record<string, string>;
  /** Only a parser of arguments: measured in that scenario only. */
  parser?: true;
}

export const PEERS: readonly Peer[] = [
  {
    name: "pi",
    label: "pi",
    versionOf: "@earendil-works/pi-ai",
    packages: { "@earendil-works/pi-ai": "latest", "@earendil-works/pi-agent-core": "latest" },
    standIns: { "@earendil-works/pi-schema": "pi-schema", "@earendil-works/pi-telemetry": "pi-telemetry" },
  },
  {
    name: "pi-0",
    label: "pi",
    versionOf: "@earendil-works/pi-ai",
    packages: { "@earendil-works/pi-ai": "0.74.2", "@earendil-works/pi-agent-core": "0.74.2" },
  },
  {
    name: "vendor-sdks",
    label: "vendor SDKs",
    packages: { "@anthropic-ai/sdk": "latest", openai: "latest", "@google/genai": "latest" },
  },
  {
    name: "ai-sdk",
    label: "AI SDK",
    versionOf: "ai",
    packages: {
      ai: "latest",
      "@ai-sdk/anthropic": "latest",
      "@ai-sdk/openai": "latest",
      "@ai-sdk/google": "latest",
      zod: "latest",
    },
  },
  {
    name: "openai-agents",
    label: "OpenAI Agents",
    versionOf: "@openai/agents",
    packages: { "@openai/agents": "latest", openai: "latest", zod: "latest" },
  },
  {
    name: "langchain",
    label: "LangChain",
    versionOf: "langchain",
    packages: {
      langchain: "latest",
      "@langchain/core": "latest",
      "@langchain/anthropic": "latest",
      "@langchain/openai": "latest",
    },
  },
  { name: "jsonriver", label: "jsonriver", versionOf: "jsonriver", packages: { jsonriver: "latest" }, parser: true },
  {
    name: "partial-json",
    label: "partial-json",
    versionOf: "partial-json",
    packages: { "partial-json": "latest" },
    parser: true,
  },
];
