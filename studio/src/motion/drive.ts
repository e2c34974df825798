// The arm's drive: a queue of planned motions that runs, stops softly, halts, and needs a reset
// after a halt. Nothing moves that was not planned from where the queue ends.
import { type Motion, type Player, rowAt } from "../player";

export type DriveState = "ready" | "moving" | "stopping" | "stopped" | "halted";

const SOFT = 0.4; // [s] in which a soft stop comes to rest

export class Drive {
  state: DriveState = "ready";
  /** Where the arm is [rad or m]. */
  q: number[] = [];
  /** Motions that have run since the queue was empty, the one that runs, and those to come. */
  private done: Motion[] = [];
  private current: Motion | null = null;
  private queue: Motion[] = [];
  onChange: () => void = () => undefined;
  onSay: (text: string, kind?: "problem" | "note") => void = () => undefined;
  onMoment: (time: number, motion: Motion) => void = () => undefined;
  onBegin: (motion: Motion) => void = () => undefined;

  constructor(private player: Player) {
    player.onTime = (time, motion) => {
      if (this.state !== "moving" && this.state !== "stopping") return;
      const row = rowAt(motion, time);
      this.q = Array.from(motion.position.subarray(row * motion.joints, (row + 1) * motion.joints));
      this.onMoment(time, motion);
    };
    player.onEnd = () => this.next();
    player.onStop = () => {
      this.state = "stopped";
      this.onSay("stopped; Start goes on, Reset discards the rest");
      this.onChange();
    };
  }

  /** Where the queue ends [rad or m]: where the next motion is to begin. */
  get end(): number[] {
    const last = this.queue.at(-1) ?? this.current;
    if (last === null || last === undefined) return this.q;
    return Array.from(last.position.subarray((last.plan.samples - 1) * last.joints));
  }

  /** How many motions wait or run, and how long all of them take [s]. */
  get waiting(): { count: number; seconds: number } {
    const all = [...(this.current === null ? [] : [this.current]), ...this.queue];
    return { count: all.length, seconds: all.reduce((sum, one) => sum + one.plan.duration, 0) };
  }

  /** All motions since the queue was last empty, for a restart. */
  get program(): Motion[] {
    return [...this.done, ...(this.current === null ? [] : [this.current]), ...this.queue];
  }

  /** Why nothing can be begun now; empty: it can. */
  refusal(): string {
    if (this.state === "halted") return "halted: the brakes are on; Reset first";
    if (this.state === "moving" || this.state === "stopping") return "the arm is moving; Stop or Halt first";
    if (this.state === "stopped") return "a motion is interrupted: Start goes on, Reset discards it";
    return "";
  }

  /** Stand somewhere, with nothing to do. */
  place(q: number[]): void {
    this.player.take(null);
    this.clear();
    this.state = "ready";
    this.q = [...q];
    this.onChange();
  }

  push(...motions: Motion[]): void {
    if (this.current === null && this.queue.length === 0) this.done = [];
    this.queue.push(...motions);
    this.onChange();
  }

  /** Run a motion after those that run, or at once when they have ended meanwhile. */
  follow(motion: Motion): void {
    if (this.state !== "moving" && this.state !== "ready") return;
    this.push(motion);
    if (this.state === "ready") this.start();
  }

  /** Run what has been pushed in place of everything else. */
  replace(motions: Motion[]): void {
    this.clear();
    this.queue = [...motions];
    this.start();
  }

  start(): void {
    if (this.state === "halted") {
      this.onSay(this.refusal(), "problem");
      return;
    }
    if (this.state === "moving") return;
    if (this.current === null && this.queue.length === 0) {
      this.onSay("nothing to run: send a trajectory first", "problem");
      return;
    }
    const goesOn = this.current !== null;
    this.state = "moving";
    if (goesOn) this.player.run();
    else this.next();
    this.onChange();
  }

  /** Slow down along the path; Start goes on. */
  stop(): void {
    if (this.state !== "moving") return;
    this.state = "stopping";
    this.player.stop(SOFT);
    this.onChange();
  }

  /** Brakes on, at once; needs a reset. */
  halt(): void {
    if (this.state === "halted") return;
    this.player.halt();
    this.state = "halted";
    this.onSay("halted: the brakes are on; Reset before moving again", "problem");
    this.onChange();
  }

  /** Release the brakes and discard what was queued; the arm stays where it is. */
  reset(): void {
    const { count } = this.waiting;
    this.player.take(null);
    this.clear();
    this.state = "ready";
    this.onSay(count > 0 ? `reset; ${count} motions discarded` : "reset");
    this.onChange();
  }

  private clear(): void {
    this.done = [];
    this.current = null;
    this.queue = [];
  }

  private next(): void {
    if (this.current !== null) {
      this.done.push(this.current);
      this.current = null;
    }
    const motion = this.queue.shift();
    if (motion === undefined) {
      this.state = "ready";
      this.onSay("at the goal");
    } else if (this.state === "stopping") {
      this.current = motion;
      this.player.take(motion);
      this.state = "stopped";
    } else {
      this.current = motion;
      this.player.take(motion);
      this.onBegin(motion);
      this.player.run();
    }
    this.onChange();
  }
}
