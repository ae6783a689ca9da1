/**
 * Preloaded into child processes of tests and programs with `--import`. Ends the process when its parent exits, even by
 * SIGKILL, and when the pipe that it writes to breaks.
 */

const LOOK_MS = 250;

const parent = process.ppid;
// A process whose parent exits gets another parent.
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, LOOK_MS).unref();

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(1);
    throw error;
  });
}
