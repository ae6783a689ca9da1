/**
 * What the library may ask of its surroundings. The only place that touches the process; everything else is given an
 * {@link Environment}. Nothing happens at import, and nothing is needed: in a browser every variable is unset.
 */

export interface Environment {
  /** The value of a variable; surrounding white space is cut, and an empty value counts as unset. */
  get(name: string): string | undefined;
  fileExists(path: string): boolean;
}

/** An environment made of plain variables; without `files`, no file exists. */
export function createEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  fileExists: (path: string) => boolean = () => false,
): Environment {
  return {
    get: (name) => {
      const value: unknown = variables[name];
      // An inherited property, such as `constructor`, is no variable.
      return typeof value === "string" ? value.trim() || undefined : undefined;
    },
    fileExists,
  };
}

/** The process's own environment, read anew at each question, so that later changes are seen. */
export const processEnvironment: Environment = {
  get: (name) => createEnvironment(processVariables()).get(name),
  fileExists: (path) => {
    // Asked of the process, so that bundlers for browsers find no file system to include (Node 22.3 and later).
    const fileSystem = globalThis.process?.getBuiltinModule?.("node:fs");
    return fileSystem?.existsSync(path) ?? false;
  },
};

function processVariables(): Readonly<Record<string, string | undefined>> {
  return globalThis.process?.env ?? {};
}
