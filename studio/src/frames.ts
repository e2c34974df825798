// Frames of poses, as armwerk.wire.frames packs them.

const HEAD = 32;
const TURN = 32767;

export interface Poses {
  version: number;
  step: number;
  epoch: number;
  time: number;
  /** x y z of every body [m]. */
  places: Float32Array;
  /** w x y z of every body. */
  turns: Float32Array;
  /** How far each belt has moved [m]. */
  travels: Float32Array;
  /** 0: stands, 1: moves, 2: is fast. */
  marks: Uint8Array;
}

/** Keeps what is known of all bodies and fills in what comes. */
export class FrameReader {
  private known: Poses | null = null;

  read(data: ArrayBuffer): Poses {
    const view = new DataView(data);
    if (view.getUint32(0, true) !== 1) throw new Error("unknown layout of a frame");
    const version = view.getUint32(4, true);
    const rows = view.getUint16(24, true);
    const total = view.getUint16(26, true);
    const belts = view.getUint16(28, true);
    const motors = view.getUint16(30, true);
    let at = HEAD;
    const places = new Float32Array(data, at, 3 * rows);
    at += 12 * rows;
    const travels = new Float32Array(data, at, belts);
    at += 4 * belts;
    const turns = new Int16Array(data, at, 4 * rows);
    at += 8 * rows;
    const whole = rows === total;
    const which = whole ? null : new Uint16Array(data, at, rows);
    if (!whole) at += 2 * rows;
    const marks = new Uint8Array(data, at, motors);
    const before = this.known;
    const fresh = whole || before === null || before.version !== version;
    const poses: Poses = {
      version,
      step: view.getUint32(8, true),
      epoch: view.getUint32(12, true),
      time: view.getFloat64(16, true),
      places: fresh ? new Float32Array(3 * total) : before.places,
      turns: fresh ? new Float32Array(4 * total) : before.turns,
      travels,
      marks,
    };
    for (let row = 0; row < rows; row++) {
      const body = which === null ? row : (which[row] ?? 0);
      for (let k = 0; k < 3; k++) poses.places[3 * body + k] = places[3 * row + k] ?? 0;
      for (let k = 0; k < 4; k++) poses.turns[4 * body + k] = (turns[4 * row + k] ?? 0) / TURN;
    }
    this.known = poses;
    return poses;
  }
}
