/** Ways to split a body into pieces that are written one by one. */

export type Cut = (body: Buffer) => Buffer[];

const LF = 10;
const CR = 13;

export const whole: Cut = (body) => [body];

/** A piece ends after each blank line, with any line ending. */
export const sseEvents: Cut = (body) => {
  const pieces: Buffer[] = [];
  let begin = 0;
  let lineBegin = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte !== LF && byte !== CR) continue;
    const isBlank = at === lineBegin;
    if (byte === CR && body[at + 1] === LF) at++;
    lineBegin = at + 1;
    if (!isBlank) continue;
    pieces.push(body.subarray(begin, lineBegin));
    begin = lineBegin;
  }
  if (begin < body.length) pieces.push(body.subarray(begin));
  return pieces;
};

/**
 * Single bytes. In the middle of a body longer than `limit`, pieces of 11, which also split characters, lines and
 * events at varying places and limit the time of a run.
 */
export function singleBytes(limit = 16_384): Cut {
  return (body) => {
    const tail = body.length > limit ? body.length - limit / 2 : 0;
    return cutBySizes(body, (at) => (at >= limit / 2 && at < tail ? Math.min(11, tail - at) : 1));
  };
}

/** Pieces of 1 to 4,096 bytes, more often short ones; the same for the same seed. */
export function randomPieces(seed: string): Cut {
  return (body) => {
    const random = createRandom(seed);
    return cutBySizes(body, () => Math.floor(4096 ** random()));
  };
}

/** Splits after each carriage return, so that a line ending always arrives in two pieces. */
export const betweenCrAndLf: Cut = (body) => {
  const pieces: Buffer[] = [];
  let begin = 0;
  for (let at = body.indexOf(CR); at !== -1; at = body.indexOf(CR, begin)) {
    pieces.push(body.subarray(begin, at + 1));
    begin = at + 1;
  }
  if (begin < body.length) pieces.push(body.subarray(begin));
  return pieces;
};

/** The same events with CRLF line endings. JSON contains no raw line break that this could change. */
export function withCrlf(body: Buffer): Buffer {
  return Buffer.from(body.toString("latin1").replaceAll(/\r\n|\r|\n/g, "\r\n"), "latin1");
}

function cutBySizes(body: Buffer, sizeAt: (at: number) => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const piece = body.subarray(at, at + sizeAt(at));
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
}

/** Numbers in [0, 1): a linear congruential generator (Numerical Recipes' constants) seeded from the text. */
function createRandom(seed: string): () => number {
  let state = 17;
  for (const character of seed) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
