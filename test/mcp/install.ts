/** Installs packages of the MCP project from npm in a separate folder, with the same dependencies as for users. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const FOLDER = resolve(import.meta.dirname, "../.peers/mcp");
/** Longer than npm takes with a slow registry, in milliseconds. */
const PATIENCE_MS = 240_000;
const SCOPE = "@modelcontextprotocol";
const VERSIONS = {
  [`${SCOPE}/sdk`]: "1.32.2",
  [`${SCOPE}/client`]: "2.4.0",
  [`${SCOPE}/server`]: "2.4.0",
  [`${SCOPE}/server-everything`]: "2026.8.31",
  [`${SCOPE}/server-filesystem`]: "2026.8.31",
  [`${SCOPE}/conformance`]: "0.2.0-alpha.12",
};

/** The folder that holds the packages, or why there is none. An existing install is used again. */
export async function installMcp(): Promise<{ folder: string } | { reason: string }> {
  const manifest = JSON.stringify({ private: true, type: "module", dependencies: VERSIONS });
  const file = join(FOLDER, "package.json");
  const marker = join(FOLDER, "installed.json");
  if (existsSync(marker) && (await readFile(marker, "utf8")) === manifest) return { folder: FOLDER };
  await mkdir(FOLDER, { recursive: true });
  await writeFile(file, manifest);
  const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", options, { cwd: FOLDER, timeout: PATIENCE_MS });
  } catch (error) {
    return { reason: /^npm error (.*\S)/m.exec(String(error))?.[1] ?? "npm failed" };
  }
  await writeFile(marker, manifest);
  return { folder: FOLDER };
}
