// Plays a planned motion on an arm: time runs at a rate that can be ramped down and up again.
import type { SampledMotion } from "./messages";
import { unpacked } from "./numbers";
import type { StagedArm } from "./staged";

/** A motion whose rows have been unpacked. */
export interface Motion {
  plan: SampledMotion;
  joints: number;
  position: Float32Array;
  tool: Float32Array;
  poses: Float32Array;
  marks: Float32Array;
}

export function motionOf(plan: SampledMotion): Motion {
  const position = unpacked(plan.position);
  return {
    plan,
    joints: position.length / plan.samples,
    position,
    tool: unpacked(plan.tool),
    poses: unpacked(plan.poses),
    marks: unpacked(plan.marks),
  };
}

/** The row of a motion at a time [s], between two samples the nearer one. */
export function rowAt(motion: Motion, time: number): number {
  const { duration, samples } = motion.plan;
  if (duration <= 0) return samples - 1;
  const row = Math.round((time / duration) * (samples - 1));
  return Math.min(samples - 1, Math.max(0, row));
}

export class Player {
  motion: Motion | null = null;
  time = 0;
  /** Told at every step of the picture. */
  onTime: (time: number, motion: Motion) => void = () => undefined;
  onEnd: () => void = () => undefined;
  /** It has slowed down and stands. */
  onStop: () => void = () => undefined;
  private rate = 0;
  private wished = 0;
  private ramp = 0;
  private last = 0;
  private running = false;

  constructor(private arm: StagedArm) {}

  get plays(): boolean {
    return this.running;
  }

  /** Take another motion and stand at its start. */
  take(motion: Motion | null): void {
    this.motion = motion;
    this.time = 0;
    this.halt();
  }

  /** Run on, at once. */
  run(): void {
    if (this.motion === null) return;
    this.rate = this.wished = 1;
    if (this.running) return;
    this.running = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.step(now));
  }

  /** Slow down along the path within some seconds, and stand. */
  stop(seconds: number): void {
    this.wished = 0;
    this.ramp = 1 / Math.max(seconds, 1e-3);
  }

  /** Stand at once. */
  halt(): void {
    this.rate = this.wished = 0;
    this.running = false;
  }

  /** Show a moment [s]. */
  seek(time: number): void {
    const motion = this.motion;
    if (motion === null) return;
    this.time = Math.min(motion.plan.duration, Math.max(0, time));
    this.arm.place(motion.poses, rowAt(motion, this.time));
    this.onTime(this.time, motion);
  }

  private step(now: number): void {
    const motion = this.motion;
    if (!this.running || motion === null) return;
    const passed = Math.min(0.2, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    if (this.wished < this.rate) this.rate = Math.max(this.wished, this.rate - this.ramp * passed);
    this.seek(this.time + this.rate * passed);
    if (this.time >= motion.plan.duration) {
      this.halt();
      this.onEnd();
    } else if (this.rate <= 0) {
      this.halt();
      this.onStop();
    } else requestAnimationFrame((later) => this.step(later));
  }
}
