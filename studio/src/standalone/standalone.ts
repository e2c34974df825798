// A page without a server: one scene, played or moved by sliders.
import "./standalone.css";
import { find } from "../dom";
import type { Poses } from "../frames";
import { Overlay } from "../lines";
import type { StagedJoint, StandaloneScene } from "../messages";
import { JointSliders } from "../sliders";
import { followTheme } from "../theme";
import { View } from "../view";
import { posed } from "./chain";
import { at, readFilm } from "./film";

declare global {
  interface Window {
    unpacked: (id: string) => Promise<ArrayBuffer>;
  }
}

class StandalonePage {
  poses: Poses | null = null;
  readonly view = new View(find<HTMLCanvasElement>("canvas"));
  private playing = false;
  private time = 0;
  private last = 0;
  private button = find<HTMLButtonElement>("play");
  private slider = find<HTMLInputElement>("scrub");

  constructor(
    readonly scene: StandaloneScene,
    private frames: Poses[],
  ) {
    followTheme(this.view);
    this.view.show({ ...scene.geometry, type: "ViewedGeometry" });
    this.view.onChoose = (name) => {
      this.view.choose(name);
      find("told").textContent = name ?? scene.geometry.title;
    };
    find("told").textContent = scene.geometry.title;
    if (scene.way.length > 3) new Overlay(this.view).way(new Float32Array(scene.way), () => "#1f6fb2");
    if (frames.length > 1) this.offerTime();
    if (scene.joints.length > 0) this.offerJoints();
    this.seek(this.begin);
    if (frames.length > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
  }

  private get begin(): number {
    return this.frames[0]?.time ?? 0;
  }

  private get end(): number {
    return this.frames.at(-1)?.time ?? 0;
  }

  private offerTime(): void {
    find("transport").hidden = false;
    this.slider.min = String(this.begin);
    this.slider.max = String(this.end);
    this.slider.oninput = () => {
      this.play(false);
      this.seek(Number(this.slider.value));
    };
    this.button.onclick = () => this.play(!this.playing);
    document.addEventListener("keydown", (event) => {
      if (event.key !== " " || event.target instanceof HTMLButtonElement) return;
      event.preventDefault();
      this.play(!this.playing);
    });
  }

  private offerJoints(): void {
    const root = find("joints");
    root.hidden = false;
    const sliders = new JointSliders(root);
    const none = { velocity: null, acceleration: null, jerk: null, force: null };
    const joints = this.scene.geometry.motors.map(({ name, unit, low, high }): StagedJoint => ({ name, unit, low, high, ...none }));
    sliders.onInput = (values) => this.move(values);
    sliders.show(joints, this.scene.joints.map((joint) => joint.value));
  }

  /** Move the arm to joint values [rad or m]. */
  move(values: number[]): void {
    const first = this.frames[0];
    if (first !== undefined) this.place(posed(this.scene, values, first));
  }

  /** Go to a time [s]. */
  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.begin, time));
    const poses = at(this.frames, this.time);
    if (poses !== null) this.place(poses);
    this.slider.value = String(this.time);
    this.slider.setAttribute("aria-valuetext", `${this.time.toFixed(2)} s`);
    find("time").textContent = `${this.time.toFixed(2)} s`;
  }

  private place(poses: Poses): void {
    this.poses = poses;
    this.view.place(poses);
  }

  /** Let time pass, or stand; at the end it begins anew. */
  play(on: boolean): void {
    if (on && this.time >= this.end) this.time = this.begin;
    const begun = on && !this.playing;
    this.playing = on;
    this.button.textContent = on ? "Pause" : "Play";
    this.last = performance.now();
    if (begun) requestAnimationFrame((now) => this.step(now));
  }

  private step(now: number): void {
    if (!this.playing) return;
    this.seek(this.time + Math.max(0, now - this.last) / 1000);
    this.last = now;
    if (this.time >= this.end) this.play(false);
    else requestAnimationFrame((later) => this.step(later));
  }
}

function dress(theme: string): void {
  document.documentElement.dataset.theme = theme;
}

async function open(): Promise<void> {
  dress(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  find("theme").onclick = () => dress(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  const [scene, frames] = await Promise.all([window.unpacked("scene"), window.unpacked("frames")]);
  const page = new StandalonePage(JSON.parse(new TextDecoder().decode(scene)) as StandaloneScene, readFilm(frames));
  // what tests and curious people may look at
  Object.defineProperty(window, "armwerk", {
    value: {
      poses: () => page.poses,
      drawn: () => page.view.drawn,
      /** Stand at a time [s]. */
      seek: (time: number) => {
        page.play(false);
        page.seek(time);
      },
      move: (values: number[]) => page.move(values),
    },
  });
}

void open();
