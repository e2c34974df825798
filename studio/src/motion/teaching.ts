// Teach-in and play-back: positions that are stored one by one, or recorded while the arm is driven.
import type { Kept } from "./memory";

const EVERY = 100; // [ms] between recorded positions
const MOST = 500;

export class Teaching {
  /** Called with the number of positions, and whether they are being recorded. */
  onChange: (count: number, recording: boolean) => void = () => undefined;
  private recording = false;
  private last = 0;

  constructor(private state: Kept) {}

  /** Positions of the arm that is shown [rad or m]. */
  get positions(): number[][] {
    return (this.state.taught[this.state.arm] ??= []);
  }

  teach(q: number[]): void {
    this.positions.push([...q]);
    this.changed();
  }

  /** Begin or end to record; return what there is to say. */
  record(on: boolean, q: number[]): string {
    this.recording = on;
    if (on) {
      this.state.taught[this.state.arm] = [];
      this.teach(q);
      return "recording: drive the arm, then press Record again";
    }
    this.changed();
    return `recorded ${this.positions.length} positions`;
  }

  /** Take note of where the arm passes, while that is recorded. */
  pass(q: number[]): void {
    const now = performance.now();
    if (!this.recording || now - this.last <= EVERY || this.positions.length >= MOST) return;
    this.last = now;
    this.teach(q);
  }

  forget(): void {
    this.state.taught[this.state.arm] = [];
    this.changed();
  }

  private changed(): void {
    this.onChange(this.positions.length, this.recording);
  }
}
