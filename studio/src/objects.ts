// Objects: where things are, the chosen one moved, removed or followed, and new ones added.
import { find, make } from "./dom";
import type { Poses } from "./frames";
import type { Command, ViewedGeometry } from "./messages";

export class Objects {
  onChoose: (name: string | null) => void = () => undefined;
  onFollow: (name: string | null) => void = () => undefined;
  private rows = new Map<string, { row: HTMLElement; cells: HTMLElement[]; body: number }>();
  private chosen: string | null = null;
  private edit = make("form");
  private place: HTMLInputElement[] = [];
  private told = 0;
  private before = { time: 0, places: new Float32Array() };

  constructor(private ask: (command: Command) => void) {}

  show(geometry: ViewedGeometry): void {
    this.rows.clear();
    const table = make("table");
    const head = make("tr");
    for (const word of ["", "x [m]", "y [m]", "z [m]", "[m/s]"]) head.append(make("th", word));
    if (geometry.solids.length > 0) table.append(head);
    const names = new Map<string, number>();
    geometry.bodies.forEach((body, number) => {
      if (body.name === body.owner) names.set(body.name, number);
    });
    for (const solid of geometry.solids) {
      if (solid.role === "obstacle" || solid.role === "belt") {
        if (!names.has(solid.name)) names.set(solid.name, -1);
      }
    }
    for (const [name, body] of names) {
      const row = make("tr", "", { tabindex: "0", "data-name": name });
      const cells = [0, 1, 2, 3].map(() => make("td"));
      row.append(make("td", name), ...cells);
      row.onclick = () => this.onChoose(name);
      row.onkeydown = (event) => {
        if (event.key === "Enter") this.onChoose(name);
        if (event.key === "Delete") this.ask({ type: "RemoveBody", name });
      };
      table.append(row);
      this.rows.set(name, { row, cells, body });
    }
    const scroll = make("div", "", { class: "scroll" });
    scroll.append(table);
    this.build();
    find("objects").replaceChildren(scroll, this.edit, this.adding());
    this.choose(this.chosen);
  }

  /** Show where things are; ten times a second is enough to read. */
  poses(poses: Poses): void {
    const now = performance.now();
    if (now - this.told < 100) return;
    this.told = now;
    const passed = poses.time - this.before.time;
    const known = passed > 0 && this.before.places.length === poses.places.length;
    for (const { cells, body } of this.rows.values()) {
      if (body < 0) continue;
      let way = 0;
      cells.forEach((cell, axis) => {
        const value = poses.places[3 * body + axis] ?? 0;
        if (axis < 3) {
          cell.textContent = value.toFixed(3);
          if (known) way += (value - (this.before.places[3 * body + axis] ?? 0)) ** 2;
        } else cell.textContent = known ? (Math.sqrt(way) / passed).toFixed(2) : "";
      });
    }
    this.before = { time: poses.time, places: poses.places.slice() };
  }

  choose(name: string | null): void {
    this.chosen = name;
    this.edit.hidden = name === null;
    for (const [key, { row }] of this.rows) row.setAttribute("aria-selected", String(key === name));
    const row = name === null ? undefined : this.rows.get(name);
    row?.row.scrollIntoView({ block: "nearest" });
    this.place.forEach((input, axis) => {
      input.value = row?.cells[axis]?.textContent ?? "";
    });
  }

  private build(): void {
    this.edit.replaceChildren();
    this.place = ["x", "y", "z"].map((axis) => {
      const input = make("input", "", {
        type: "number",
        step: "any",
        placeholder: axis,
        "aria-label": `${axis} [m]`,
      });
      this.edit.append(input);
      return input;
    });
    const remove = make("button", "Remove", { type: "button", id: "remove" });
    const follow = make("button", "Follow", { type: "button", "aria-pressed": "false" });
    remove.onclick = () => {
      if (this.chosen !== null) this.ask({ type: "RemoveBody", name: this.chosen });
    };
    follow.onclick = () => {
      const on = follow.getAttribute("aria-pressed") !== "true";
      follow.setAttribute("aria-pressed", String(on));
      this.onFollow(on ? this.chosen : null);
    };
    this.edit.append(make("button", "Move", { id: "move" }), remove, follow);
    this.edit.onsubmit = (event) => {
      event.preventDefault();
      if (this.chosen === null) return;
      const given = this.place.filter((input) => input.value !== "");
      const position = given.map((input) => Number(input.value));
      this.ask({ type: "MoveBody", name: this.chosen, position, angle: null });
    };
  }

  private adding(): HTMLElement {
    const row = make("div", "", { class: "row" });
    const kinds: [string, string][] = [
      ["Ball", "BALL 0 0 50 4 0 0.5 D9534F"],
      ["Cuboid", "CUBOID 0 0 30 8 8 8 3B7DD8"],
      ["Step", "STEP 10 9AA5B1\n  RECT 40 40 20 20\nENDSTEP"],
    ];
    for (const [name, lines] of kinds) {
      const button = make("button", `+ ${name}`, { "data-add": name });
      button.onclick = () => this.ask({ type: "AddLines", lines });
      row.append(button);
    }
    return row;
  }
}
