/**
 * Preloaded into the child processes of tests and programs with `--import`. Ends the process when its parent is gone,
 * even by SIGKILL, and when the pipe breaks that it writes to.
 */

const LOOK_MS = 250;

const parent = process.ppid;
// A process whose parent dies is given to another one.
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, LOOK_MS).unref();

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(1);
    throw error;
  });
}
