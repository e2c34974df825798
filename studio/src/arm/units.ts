// Numbers for people: angles in degrees, lengths in metres.
import type { ArmMotor } from "../messages";

const DEGREES = 180 / Math.PI;

export function shownUnit(unit: string): string {
  return unit === "rad" ? "°" : "m";
}

export function toShown(value: number, unit: string): number {
  return unit === "rad" ? value * DEGREES : value;
}

export function fromShown(value: number, unit: string): number {
  return unit === "rad" ? value / DEGREES : value;
}

export function digits(unit: string): number {
  return unit === "rad" ? 1 : 4;
}

/** Write a joint value with few digits; no minus before zero. */
export function written(value: number, unit: string): string {
  const text = toShown(value, unit).toFixed(digits(unit));
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** How far a slider goes where a joint has no limits. */
export function span(motor: ArmMotor, size: number): [number, number] {
  const far = motor.unit === "rad" ? 2 * Math.PI : 2 * size;
  return [motor.low ?? -far, motor.high ?? far];
}

/** Angles about z, then the new y, then the new x of a quaternion w x y z [rad]. */
export function angles([w, x, y, z]: [number, number, number, number]): [number, number, number] {
  const sine = Math.max(-1, Math.min(1, 2 * (w * y - x * z)));
  if (Math.abs(sine) > 1 - 1e-12) {
    // looking straight up or down only one sum of angles matters
    return [2 * Math.atan2(z, w), (Math.sign(sine) * Math.PI) / 2, 0];
  }
  return [
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
    Math.asin(sine),
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
  ];
}

/** The quaternion w x y z of such angles. */
export function quaternion([a, b, c]: [number, number, number]): [number, number, number, number] {
  const [ca, sa] = [Math.cos(a / 2), Math.sin(a / 2)];
  const [cb, sb] = [Math.cos(b / 2), Math.sin(b / 2)];
  const [cc, sc] = [Math.cos(c / 2), Math.sin(c / 2)];
  return [
    ca * cb * cc + sa * sb * sc,
    ca * cb * sc - sa * sb * cc,
    ca * sb * cc + sa * cb * sc,
    sa * cb * cc - ca * sb * sc,
  ];
}
