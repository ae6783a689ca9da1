/**
 * Stands for a module of Node.js in a build for other platforms. A module that exports `then` is a promise: `import()`
 * of this one rejects, but only where the module is needed, not when a bundle that contains it starts.
 */
export function then(_resolve: unknown, reject: (error: Error) => void): void {
  reject(
    new Error(
      "This needs Node.js, but the program was bundled for another platform. Set your bundler's platform or target to Node.js, or add the export condition `node`",
    ),
  );
}
