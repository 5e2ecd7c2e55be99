// The maps: which steps, and which operations, agree.
const MEANINGS = ["nothing here", "not compared", "same bits", "in one run only", "different bits"];
const COLOURS = [null, "--unknown", "--agree", "--one", "--differ"];
// Where it is known how far values lie apart, in ULP: a rounding or two, little, more.
const SIZES = [[4, "--near"], [65536, "--apart"], [Infinity, "--far"]];
const ROW = 18;
const FEWEST = 8;

// A map: rows of names, columns of steps or operations; the window moves, the cells stay.
class AgreementMap {
  constructor(title, source, columnName, describe) {
    this.rows = source.rows;
    this.starts = source.starts;
    this.cells = decoded(source.cells);
    this.columnName = columnName;
    this.describe = describe;
    this.from = 0;
    this.to = this.starts.length;
    this.sizes = new Map();
    for (const [name, known] of Object.entries(source.sizes || {})) {
      for (const [column, ...size] of known) this.measure(this.rows.indexOf(name), column, size);
    }
    this.cursor = this.firstDiffering();
    this.element = make("div", undefined, "map");
    this.element.append(make("h3", title));
    this.canvas = make("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `${title}. Arrow keys move, plus and minus zoom, 0 shows all.`);
    this.detail = make("div", undefined, "detail");
    this.detail.setAttribute("aria-live", "polite");
    this.element.append(this.canvas, this.detail);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("pointerdown", (event) => this.point(event));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("focus", () => this.draw());
    this.canvas.addEventListener("blur", () => this.draw());
  }

  get columns() { return this.starts.length; }
  cell(row, column) { return this.cells[row * this.columns + column]; }

  columnOf(start) {
    let column = this.columns - 1;
    while (column > 0 && this.starts[column] > start) column -= 1;
    return column;
  }

  // Of several values in a cell the largest distance counts, in ULP and relative to the value.
  measure(row, column, [ulp, relative]) {
    if (row < 0 || !(ulp > 0)) return;
    const place = row * this.columns + column;
    const before = this.sizes.get(place) || [0, 0];
    this.sizes.set(place, [Math.max(ulp, before[0]), Math.max(relative || 0, before[1])]);
    document.querySelectorAll(".sized").forEach((item) => { item.hidden = false; });
  }

  firstDiffering() {
    for (let column = 0; column < this.columns; column += 1) {
      for (let row = 0; row < this.rows.length; row += 1) {
        if (this.cell(row, column) >= 3) return { row, column };
      }
    }
    return { row: 0, column: 0 };
  }

  get margin() { return Math.min(220, Math.max(80, this.canvas.clientWidth * 0.26)); }

  draw() {
    const width = this.canvas.clientWidth || 600;
    const height = this.rows.length * ROW + 24;
    const scale = devicePixelRatio || 1;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.font = "12px ui-monospace, Menlo, Consolas, monospace";
    pen.textBaseline = "middle";
    const left = this.margin;
    const room = width - left - 6;
    const shown = this.to - this.from;
    const fills = COLOURS.map((name) => (name ? colour(name) : null));
    const shades = SIZES.map(([most, name]) => [most, colour(name)]);
    const text = colour("--text");
    const ground = colour("--ground");
    const pixels = Math.min(shown, Math.max(1, Math.floor(room)));
    for (let row = 0; row < this.rows.length; row += 1) {
      const top = row * ROW + 2;
      pen.fillStyle = text;
      pen.textAlign = "right";
      pen.fillText(this.fitted(pen, this.rows[row], left - 10), left - 8, top + ROW / 2);
      for (let pixel = 0; pixel < pixels; pixel += 1) {
        const first = this.from + Math.floor((pixel * shown) / pixels);
        const end = Math.max(first + 1, this.from + Math.floor(((pixel + 1) * shown) / pixels));
        let state = 0;
        let size = 0;
        for (let column = first; column < end; column += 1) {
          state = Math.max(state, this.cell(row, column));
          size = Math.max(size, (this.sizes.get(row * this.columns + column) || [0])[0]);
        }
        if (!fills[state]) continue;
        const x = left + (pixel * room) / pixels;
        const wide = room / pixels;
        const gap = wide > 6 ? 1 : 0;
        const isSized = state === 4 && size > 0;
        pen.fillStyle = isSized ? shades.find(([most]) => size <= most)[1] : fills[state];
        pen.fillRect(x, top, Math.max(1, wide - gap), ROW - 3);
        if (state >= 3 && wide > 10 && !isSized) {  // a mark beside the colour
          pen.fillStyle = ground;
          pen.textAlign = "center";
          pen.fillText(state === 4 ? "×" : "+", x + wide / 2, top + ROW / 2 - 1);
        }
      }
    }
    pen.fillStyle = colour("--quiet");
    const bottom = this.rows.length * ROW + 13;
    const marks = Math.max(2, Math.min(8, Math.floor(room / 90)));
    let before = -1;
    for (let mark = 0; mark < marks; mark += 1) {
      const column = Math.min(this.to - 1, this.from + Math.round((mark * (shown - 1)) / Math.max(1, marks - 1)));
      if (column === before) continue;
      before = column;
      const x = left + ((column - this.from + 0.5) * room) / shown;
      const isLast = mark === marks - 1 && mark > 0;
      pen.textAlign = mark === 0 ? "left" : isLast ? "right" : "center";
      const label = number(this.starts[column]);
      pen.fillText(mark === 0 ? `${this.columnName} ${label}` : label, mark === 0 ? left : isLast ? left + room : x, bottom);
    }
    const { row, column } = this.cursor;
    if (column >= this.from && column < this.to) {
      const x = left + ((column - this.from) * room) / shown;
      pen.strokeStyle = document.activeElement === this.canvas ? colour("--accent") : text;
      pen.lineWidth = 2;
      pen.strokeRect(x - 1, row * ROW + 1, Math.max(4, room / shown), ROW - 1);
    }
  }

  fitted(pen, name, room) {
    const most = Math.max(3, Math.floor(room / 7.3));
    return name.length <= most ? name : `…${name.slice(name.length - most + 1)}`;
  }

  key(event) {
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (event.key in moves) {
      const [down, right] = moves[event.key];
      this.choose(this.cursor.row + down, this.cursor.column + right);
    } else if (event.key === "Home") this.choose(this.cursor.row, 0);
    else if (event.key === "End") this.choose(this.cursor.row, this.columns - 1);
    else if (event.key === "+" || event.key === "=") this.zoom(0.5, this.cursor.column);
    else if (event.key === "-") this.zoom(2, this.cursor.column);
    else if (event.key === "0") this.zoom(Infinity, 0);
    else return;
    event.preventDefault();
  }

  columnAt(x) {
    const room = this.canvas.clientWidth - this.margin - 6;
    return Math.floor(this.from + ((x - this.margin) * (this.to - this.from)) / room);
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    let column = this.columnAt(event.clientX - box.left);
    const row = Math.floor((event.clientY - box.top) / ROW);
    // Several columns may share a pixel: the one that differs is meant.
    const until = this.columnAt(event.clientX - box.left + 1);
    for (let next = column; next < until; next += 1) {
      if (this.cell(Math.min(row, this.rows.length - 1), next) >= 3) { column = next; break; }
    }
    this.choose(row, column);
  }

  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    this.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.columnAt(event.clientX - box.left));
  }

  zoom(factor, around) {
    const width = Math.min(this.columns, Math.max(Math.min(FEWEST, this.columns), Math.round((this.to - this.from) * factor)));
    const part = (around - this.from) / Math.max(1, this.to - this.from);
    this.from = Math.min(Math.max(0, Math.round(around - part * width)), this.columns - width);
    this.to = this.from + width;
    this.draw();
  }

  choose(row, column) {
    this.cursor = {
      row: Math.min(Math.max(0, row), this.rows.length - 1),
      column: Math.min(Math.max(0, column), this.columns - 1),
    };
    const width = this.to - this.from;
    if (this.cursor.column < this.from) this.from = this.cursor.column;
    if (this.cursor.column >= this.to) this.from = this.cursor.column - width + 1;
    this.to = this.from + width;
    this.draw();
    this.tell();
  }

  tell() {
    const { row, column } = this.cursor;
    const last = column + 1 < this.columns ? this.starts[column + 1] - 1 : this.starts[column];
    const first = this.starts[column];
    const range = last > first ? `${this.columnName}s ${number(first)} to ${number(last)}` : `${this.columnName} ${number(first)}`;
    const size = this.sizes.get(row * this.columns + column);
    // Of another value, how many ULP it is says nothing.
    const far = size && size[1] > 1e-3 ? `${number(Number((100 * size[1]).toPrecision(3)))} %` : size && `${number(size[0])} ULP`;
    const apart = size ? `, up to ${far} apart` : "";
    this.detail.replaceChildren(make("p", `${this.rows[row]}, ${range}: ${MEANINGS[this.cell(row, column)]}${apart}.`));
    this.detail.append(...this.describe(row, column));
  }
}

const describeOperation = (lane) => (row, column) => {
  const found = lane.details.find((one) => one.cell[0] === row && one.cell[1] === column);
  if (!found) {
    const differs = lane.operations && lane.details.length >= 400;
    return differs ? [make("p", "Of later differences only the place is kept.", "quiet")] : [];
  }
  const parts = [make("p", `Step ${number(found.step)}, ${found.phase}${found.module ? `, module ${found.module}` : ""}: ${found.what.join("; ")}.`)];
  if (found.code) {
    const code = make("pre");
    code.append(make("code", found.code));
    parts.push(code);
  }
  const table = make("table");
  const head = make("tr");
  for (const name of ["row", "operation", "result", "line", "bits"]) {
    const cell = make("th", name);
    cell.scope = "col";
    head.append(cell);
  }
  table.append(head);
  const words = new Map([[true, "same"], [false, "different"], [null, ""]]);
  for (const one of found.rows) {
    const line = make("tr", undefined, one.agrees === false ? "differs" : "");
    if (one.op && one.row === found.row) line.classList.add("here");
    for (const text of [number(one.row), one.op, one.signature, one.place, words.get(one.agrees)]) line.append(make("td", text));
    table.append(line);
  }
  parts.push(table, make("p", `Fingerprints of the result: ${found.outputs[0]} in A, ${found.outputs[1]} in B.`, "quiet"));
  return parts;
};

// Of several processes: a lane each, with the gravest state of all that is known of a step.
const allLanes = (lanes) => {
  const known = lanes.map((lane) => {
    const states = new Map();
    const add = (step, state) => states.set(step, Math.max(state, states.get(step) || 0));
    const { steps, operations } = lane;
    for (const [source, starts] of [[steps, steps && steps.starts], [operations, operations && operations.steps]]) {
      if (!source) continue;
      const cells = decoded(source.cells);
      starts.forEach((step, column) => source.rows.forEach((_, row) => add(step, cells[row * starts.length + column])));
    }
    return states;
  });
  const starts = [...new Set(known.flatMap((states) => [...states.keys()]))].sort((a, b) => a - b);
  const cells = known.flatMap((states) => starts.map((step) => states.get(step) || 0));
  return { rows: lanes.map((lane) => lane.name), starts, cells: btoa(String.fromCharCode(...cells)) };
};

const maps = document.getElementById("map-list");
const show = (map) => {
  document.getElementById("maps").hidden = false;
  maps.append(map.element);
  map.draw();
  map.tell();
  redraws.push(() => map.draw());
  addEventListener("resize", () => map.draw());
};
const alone = data.lanes.length === 1;
const processes = data.lanes.filter((lane) => !lane.closer && (lane.steps || lane.operations));
if (processes.length > 1) {
  const source = allLanes(processes);
  if (source.starts.length) show(new AgreementMap("All processes, step by step", source, "step", () => []));
}
for (const [index, lane] of data.lanes.entries()) {
  const named = (what) => (alone ? what : `${what}: ${lane.name}`);
  const found = [];
  const isMeasured = data.measured && data.measured.lane === index;
  if (lane.steps) {
    const map = new AgreementMap(named("State of training, step by step"), lane.steps, "step", () => []);
    const isOf = (part) => (part.processes.includes("") ? index === 0 : part.processes.includes(lane.name));
    for (const part of data.state.filter(isOf)) {
      part.steps.forEach((step, at) => map.measure(map.rows.indexOf(part.part), map.columnOf(step), [part.ulp[at], part.relative[at]]));
    }
    found.push(map);
  }
  if (lane.operations && lane.operations.starts.length) {
    const [compared, differ, onlyA, onlyB] = lane.operations.counts;
    const map = new AgreementMap(named("Operations, module by module"), lane.operations, "operation", describeOperation(lane));
    const only = onlyA + onlyB ? `; ${number(onlyA)} are in run A only, ${number(onlyB)} in run B only` : "";
    map.element.insertBefore(make("p", `${number(differ)} of ${number(compared)} compared operations differ${only}.`, "quiet"), map.canvas);
    for (const [row, column, ...size] of isMeasured ? data.measured.cells : []) map.measure(row, column, size);
    found.push(map);
  }
  found.forEach(show);
}
