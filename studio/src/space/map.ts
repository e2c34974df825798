// The map of two joints on a canvas: cells, axes with units, cursor, start, goal and path.
import type { SpaceAxis, SpaceMap } from "../messages";
import { scale, shownUnit } from "../numbers";

const LEFT = 52;
const BOTTOM = 40;
const TOP = 8;
const RIGHT = 10;
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 60, 90, 180, 250, 500, 1000, 2000];

export type Place = [number, number];

export class MapPicture {
  /** Values of the two joints under the mouse [rad or m]. */
  onHover: (place: Place) => void = () => undefined;
  onChoose: (place: Place) => void = () => undefined;
  cursor: Place | null = null;
  start: Place | null = null;
  goal: Place | null = null;
  path: Place[] = [];
  private map: SpaceMap | null = null;
  private cells: HTMLCanvasElement | null = null;

  constructor(private canvas: HTMLCanvasElement) {
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("click", (event) => {
      const place = this.placeAt(event.offsetX, event.offsetY);
      if (place !== null) this.onChoose(place);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(canvas);
    new MutationObserver(() => this.draw()).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
  }

  async show(map: SpaceMap | null): Promise<void> {
    if (map === null) {
      this.map = null;
      this.cells = null;
      this.draw();
      return;
    }
    const image = new Image();
    image.src = `data:image/png;base64,${map.picture}`;
    await image.decode();
    const cells = document.createElement("canvas");
    cells.width = image.width;
    cells.height = image.height;
    const context = cells.getContext("2d", { willReadFrequently: true });
    if (context === null) return;
    context.drawImage(image, 0, 0);
    // free cells let the background through, so that the map suits both themes
    const pixels = context.getImageData(0, 0, cells.width, cells.height);
    for (let at = 0; at < pixels.data.length; at += 4) {
      const [r = 0, g = 0, b = 0] = pixels.data.subarray(at, at + 3);
      if (r === 255 && g === 255 && b === 255) pixels.data[at + 3] = 0;
    }
    context.putImageData(pixels, 0, 0);
    this.map = map;
    this.cells = cells;
    this.draw();
  }

  draw(): void {
    const { canvas } = this;
    const context = canvas.getContext("2d");
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (context === null || width < LEFT + RIGHT + 20 || height < BOTTOM + TOP + 20) return;
    const dots = Math.min(devicePixelRatio, 2);
    canvas.width = Math.round(width * dots);
    canvas.height = Math.round(height * dots);
    context.setTransform(dots, 0, 0, dots, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    context.fillStyle = colour("--panel");
    const [w, h] = [width - LEFT - RIGHT, height - TOP - BOTTOM];
    context.fillRect(LEFT, TOP, w, h);
    if (this.map === null || this.cells === null) return;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.cells, LEFT, TOP, w, h);
    context.strokeStyle = colour("--line");
    context.strokeRect(LEFT + 0.5, TOP + 0.5, w - 1, h - 1);
    this.ticks(context, colour("--muted"), colour("--ink"));
    this.way(context, colour("--ink"), colour("--panel"));
    this.marks(context, colour("--ink"), colour("--panel"));
  }

  private ticks(context: CanvasRenderingContext2D, muted: string, ink: string): void {
    if (this.map === null) return;
    const [x, y] = this.map.axes;
    const { right, bottom } = this.box();
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = muted;
    context.textAlign = "center";
    for (const value of ticks(x, (right - LEFT) / 60)) {
      const at = this.dotOf([value, y.low])[0];
      context.fillRect(at, bottom, 1, 4);
      context.fillText(label(x, value), at, bottom + 16);
    }
    context.textAlign = "right";
    for (const value of ticks(y, (bottom - TOP) / 40)) {
      const at = this.dotOf([x.low, value])[1];
      context.fillRect(LEFT - 4, at, 4, 1);
      context.fillText(label(y, value), LEFT - 6, at + 4);
    }
    context.fillStyle = ink;
    context.textAlign = "center";
    context.fillText(`${x.name} [${shownUnit(x.unit)}]`, (LEFT + right) / 2, bottom + 33);
    context.save();
    context.translate(13, (TOP + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(`${y.name} [${shownUnit(y.unit)}]`, 0, 0);
    context.restore();
  }

  /** The path; where it leaves a full turn on one side it comes in on the other. */
  private way(context: CanvasRenderingContext2D, ink: string, halo: string): void {
    if (this.path.length < 2 || this.map === null) return;
    const { right, bottom } = this.box();
    context.save();
    context.beginPath();
    context.rect(LEFT, TOP, right - LEFT, bottom - TOP);
    context.clip();
    context.lineJoin = context.lineCap = "round";
    for (const [wide, colour] of [
      [5, halo],
      [2, ink],
    ] as const) {
      context.lineWidth = wide;
      context.strokeStyle = colour;
      context.beginPath();
      let before: Place | null = null;
      for (const one of this.path) {
        const [x, y] = this.dotOf(one);
        const far = before !== null && Math.hypot(x - before[0], y - before[1]) > 0.5 * (right - LEFT);
        if (before === null || far) context.moveTo(x, y);
        else context.lineTo(x, y);
        before = [x, y];
      }
      context.stroke();
    }
    context.restore();
  }

  private marks(context: CanvasRenderingContext2D, ink: string, halo: string): void {
    const { right, bottom } = this.box();
    if (this.cursor !== null) {
      const [x, y] = this.dotOf(this.cursor);
      context.strokeStyle = ink;
      context.lineWidth = 1;
      context.globalAlpha = 0.55;
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, bottom);
      context.moveTo(LEFT, y);
      context.lineTo(right, y);
      context.stroke();
      context.globalAlpha = 1;
      dot(context, x, y, 4, ink, halo);
    }
    if (this.start !== null) dot(context, ...this.dotOf(this.start), 7, "#2f9e44", halo);
    if (this.goal !== null) {
      const [x, y] = this.dotOf(this.goal);
      context.fillStyle = halo;
      context.fillRect(x - 8, y - 8, 16, 16);
      context.fillStyle = "#d6336c";
      context.fillRect(x - 6, y - 6, 12, 12);
    }
  }

  private box(): { right: number; bottom: number } {
    return { right: this.canvas.clientWidth - RIGHT, bottom: this.canvas.clientHeight - BOTTOM };
  }

  /** Where a place is on the canvas [pixel]. */
  dotOf(place: Place): Place {
    if (this.map === null) return [0, 0];
    const { right, bottom } = this.box();
    const [x, y] = this.map.axes;
    return [
      LEFT + share(x, place[0]) * (right - LEFT),
      bottom - share(y, place[1]) * (bottom - TOP),
    ];
  }

  /** The middle of the cell at a point of the canvas; null: outside. */
  placeAt(left: number, top: number): Place | null {
    if (this.map === null) return null;
    const { right, bottom } = this.box();
    const u = (left - LEFT) / (right - LEFT);
    const v = (bottom - top) / (bottom - TOP);
    if (u < 0 || u >= 1 || v < 0 || v >= 1) return null;
    const [x, y] = this.map.axes;
    return [valueOf(x, Math.floor(u * x.cells)), valueOf(y, Math.floor(v * y.cells))];
  }

  private hover(event: PointerEvent): void {
    const place = this.placeAt(event.offsetX, event.offsetY);
    if (place === null) return;
    this.cursor = place;
    this.draw();
    this.onHover(place);
  }

  private key(event: KeyboardEvent): void {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (this.map === null) return;
    const [x, y] = this.map.axes;
    const at: Place = this.cursor ?? [valueOf(x, x.cells >> 1), valueOf(y, y.cells >> 1)];
    if (way !== undefined) {
      event.preventDefault();
      const step = event.shiftKey ? 10 : 1;
      const go = (axis: SpaceAxis, value: number, by: number) =>
        valueOf(axis, Math.min(axis.cells - 1, Math.max(0, cellOf(axis, value) + by * step)));
      this.cursor = [go(x, at[0], way[0] ?? 0), go(y, at[1], way[1] ?? 0)];
      this.draw();
      this.onHover(this.cursor);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.onChoose(at);
    }
  }
}

function valueOf(axis: SpaceAxis, cell: number): number {
  return axis.low + (cell * (axis.high - axis.low)) / axis.cells;
}

function cellOf(axis: SpaceAxis, value: number): number {
  return Math.round(((value - axis.low) / (axis.high - axis.low)) * axis.cells);
}

/** How far along an axis a value is, 0 to 1; a cell is centred on its value. */
function share(axis: SpaceAxis, value: number): number {
  const span = axis.high - axis.low;
  const at = (value - axis.low) / span + 0.5 / axis.cells;
  return axis.is_turn ? at - Math.floor(at) : at;
}

function ticks(axis: SpaceAxis, most: number): number[] {
  const factor = scale(axis.unit);
  const [low, high] = [axis.low * factor, axis.high * factor];
  const step = STEPS.find((one) => (high - low) / one <= most) ?? (high - low) / 2;
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor((high - low * (1 - 1e-12)) / step) + 1;
  const all = Array.from({ length: count }, (_, k) => ((first + k) * step) / factor);
  return all.filter((value) => value < axis.high - (axis.high - axis.low) / axis.cells / 2);
}

function label(axis: SpaceAxis, value: number): string {
  return String(Math.round(value * scale(axis.unit) * 100) / 100);
}

function dot(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  colour: string,
  halo: string,
): void {
  for (const [size, fill] of [
    [radius + 2, halo],
    [radius, colour],
  ] as const) {
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fillStyle = fill;
    context.fill();
  }
}
