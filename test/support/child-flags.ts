/** Flags and environment for programs that must not outlive a test. */
import { fileURLToPath } from "node:url";

const PRELOAD = fileURLToPath(new URL("./dies-with-parent.js", import.meta.url));

/** Flags for a Node child process that ends with its parent, regardless of how the parent ends. */
export const DIES_WITH_PARENT: readonly string[] = ["--no-warnings", "--import", PRELOAD];

/** The environment for a program that must end with the test, together with everything that it starts. */
export function childEnvironment(
  // biome-ignore lint/style/noProcessEnv: a child inherits the environment by default.
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string | undefined> {
  return { ...environment, NODE_OPTIONS: `--import ${PRELOAD}` };
}
