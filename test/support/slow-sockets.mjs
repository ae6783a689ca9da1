/**
 * Preloaded by `npm run task test:slow`: what a TCP socket sends takes up to 40 ms of real time, in its order. A test that takes
 * some turns of the event loop for the time that bytes need fails then on each run, not once in a hundred.
 */
import { Socket } from "node:net";

const MAX_MS = 40;
/** The share of what is sent without a delay, so that delays meet each part of a response. */
const AT_ONCE = 0.6;
/** Fake timers replace the global one. */
const later = globalThis.setTimeout;

const { _write: write, _writev: writev, _final: final } = Socket.prototype;

/** The three functions with which a writable stream sends; Node calls the next one when the last one has called back. */
Object.assign(Socket.prototype, { _write: delayed(write), _writev: delayed(writev), _final: delayed(final) });

function delayed(send) {
  return function (...args) {
    if (this.connecting || !this.remoteAddress || Math.random() < AT_ONCE) return send.apply(this, args);
    const done = args.at(-1);
    later(
      () => (this.destroyed ? done(new Error("The connection is closed")) : send.apply(this, args)),
      Math.random() * MAX_MS,
    );
  };
}
