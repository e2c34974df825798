// Rows of numbers as the server sends them: base64 of 32-bit floating-point ones.

export function unpacked(text: string): Float32Array {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
}

/** What a value is multiplied by for people. */
export function scale(unit: string): number {
  return unit === "rad" ? 180 / Math.PI : 1000;
}

/** The unit that people read. */
export function shownUnit(unit: string): string {
  return unit === "rad" ? "°" : "mm";
}

/** A value with its unit, as people read it. */
export function shown(value: number, unit: string, digits = 1): string {
  const text = (value * scale(unit)).toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
  return unit === "rad" ? `${text}°` : `${text} mm`;
}
