// Frames of poses one after the other, and what lies between two of them.
import { FrameReader, type Poses } from "../frames";

/** Read frames that stand one behind the other, each with its length before it. */
export function readFilm(data: ArrayBuffer): Poses[] {
  const reader = new FrameReader();
  const view = new DataView(data);
  const frames: Poses[] = [];
  for (let at = 0; at < data.byteLength; ) {
    const length = view.getUint32(at, true);
    const poses = reader.read(data.slice(at + 4, at + 4 + length));
    frames.push({ ...poses, places: poses.places.slice(), turns: poses.turns.slice() });
    at += 4 + length + ((4 - (length % 4)) % 4);
  }
  return frames;
}

/** Return where everything is at a time [s]. */
export function at(frames: Poses[], time: number): Poses | null {
  let low = 0;
  let high = frames.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((frames[middle]?.time ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  const one = frames[low];
  const other = frames[low + 1];
  if (one === undefined || other === undefined || other.time <= one.time) return one ?? null;
  const share = Math.min(1, Math.max(0, (time - one.time) / (other.time - one.time)));
  const turns = new Float32Array(one.turns.length);
  for (let body = 0; body < turns.length; body += 4) {
    let dot = 0;
    for (let k = body; k < body + 4; k++) dot += (one.turns[k] ?? 0) * (other.turns[k] ?? 0);
    const way = dot < 0 ? -1 : 1; // the shorter of the two ways round
    for (let k = body; k < body + 4; k++) turns[k] = mixed(one.turns[k], way * (other.turns[k] ?? 0), share);
  }
  return {
    ...one,
    time,
    turns,
    places: one.places.map((value, k) => mixed(value, other.places[k], share)),
    travels: one.travels.map((value, k) => mixed(value, other.travels[k], share)),
  };
}

function mixed(one = 0, other = 0, share = 0): number {
  return one + share * (other - one);
}
