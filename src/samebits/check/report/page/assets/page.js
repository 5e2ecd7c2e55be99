"use strict";
// Everything shown comes from the data element and goes into text nodes: names in it are never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const redraws = [];

  const make = (tag, text, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const number = (value) => value.toLocaleString("en");
  const decoded = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

  // The theme: the system's, until somebody chooses.
  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const showTheme = () => {
    theme.setAttribute("aria-pressed", String(isDark()));
    redraws.forEach((redraw) => redraw());
  };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  system.addEventListener("change", showTheme);

  const listSections = () => {
    const list = document.getElementById("sections");
    const named = new Set();
    for (const section of document.querySelectorAll("section[data-section]:not([hidden])")) {
      const name = section.dataset.section;
      if (named.has(name)) continue;
      named.add(name);
      const heading = section.querySelector("h2");
      const link = make("a", name);
      link.href = `#${heading.id}`;
      const item = make("li");
      item.append(link);
      list.append(item);
    }
  };

  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", () => {
      const code = button.parentElement.querySelector("code");
      const said = (text) => { button.textContent = text; };
      const select = () => {
        getSelection().selectAllChildren(code);
        said(document.execCommand("copy") ? "Copied" : "Selected");
      };
      // From disk the clipboard may be out of reach: then the text is selected, to be copied by hand.
      if (navigator.clipboard) {
        navigator.clipboard.writeText(code.textContent).then(() => said("Copied"), select);
      } else select();
    });
  }

  const filter = document.getElementById("ledger-filter");
  if (filter) {
    const rows = [...document.querySelectorAll("#ledger tbody tr")];
    const count = document.getElementById("ledger-count");
    const apply = () => {
      const wanted = filter.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = wanted ? `${shown} of ${rows.length} rows` : "";
    };
    filter.addEventListener("input", apply);
  }

  // Curves: both losses, and how far they lie apart.
  const drawGrowth = (place, growth) => {
    let chart;
    const draw = () => {
      if (chart) chart.destroy();
      const positive = growth.distance.map((value) => (value > 0 ? value : null));
      const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--rule") }, ticks: { stroke: colour("--rule") } };
      const values = (_, splits) => splits.map((v) => (v === null ? "" : v.toExponential(0)));
      chart = new uPlot({
        width: place.clientWidth, height: 280,
        scales: { x: { time: false }, y: { distr: 3, log: 10 }, loss: {} },
        axes: [
          { ...axis, label: "step", labelSize: 20 },
          { ...axis, scale: "y", values, size: 64, label: "distance", labelSize: 20 },
          { ...axis, scale: "loss", side: 1, grid: { show: false }, size: 60, label: "loss", labelSize: 20 },
        ],
        series: [
          { label: "step" },
          { label: "distance", scale: "y", stroke: colour("--differ"), width: 2, points: { show: positive.filter((v) => v).length < 40 } },
          { label: "loss in A", scale: "loss", stroke: colour("--accent"), width: 1.5 },
          { label: "loss in B", scale: "loss", stroke: colour("--one"), width: 1.5, dash: [6, 4] },
        ],
      }, [growth.steps, positive, growth.a, growth.b], place);
    };
    draw();
    redraws.push(draw);
    addEventListener("resize", () => chart.setSize({ width: place.clientWidth, height: 280 }));
  };
  for (const place of document.querySelectorAll("[data-growth]")) {
    const lanes = data.lanes.filter((lane) => lane.growth);
    const lane = lanes[Number(place.dataset.growth)];
    if (lane) drawGrowth(place, lane.growth);
  }

  // How far the parts of the state lie apart, at the steps that were kept.
  const drawState = (place, parts) => {
    const steps = [...new Set(parts.flatMap((part) => part.steps))].sort((a, b) => a - b);
    const strokes = ["--differ", "--accent", "--one"];
    const dashes = [[], [6, 4], [2, 3]];
    let chart;
    const draw = () => {
      if (chart) chart.destroy();
      const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--rule") }, ticks: { stroke: colour("--rule") } };
      const values = (_, splits) => splits.map((v) => (v === null ? "" : v.toExponential(0)));
      const at = (part) => {
        const known = new Map(part.steps.map((step, index) => [step, part.relative[index]]));
        return steps.map((step) => (known.get(step) > 0 ? known.get(step) : null));
      };
      chart = new uPlot({
        width: place.clientWidth, height: 280,
        scales: { x: { time: false }, y: { distr: 3, log: 10 } },
        axes: [{ ...axis, label: "step", labelSize: 20 }, { ...axis, values, size: 64, label: "relative distance", labelSize: 20 }],
        series: [{ label: "step" }, ...parts.map((part, index) => ({
          label: part.part, stroke: colour(strokes[index % 3]), width: 2, dash: dashes[index % 3], spanGaps: true, points: { show: true },
        }))],
      }, [steps, ...parts.map(at)], place);
    };
    draw();
    redraws.push(draw);
    addEventListener("resize", () => chart.setSize({ width: place.clientWidth, height: 280 }));
  };
  const statePlace = document.getElementById("state-chart");
  if (statePlace && data.state.length) drawState(statePlace, data.state);

  // A tensor: the darker a cell, the larger the largest distance in it.
  const drawTensor = (place, cells) => {
    if (!cells.length) return;
    const canvas = make("canvas");
    canvas.setAttribute("role", "img");
    const differing = cells.flat().filter((power) => power > 0).length;
    canvas.setAttribute("aria-label", `${differing} of ${cells.length * cells[0].length} parts of the tensor hold differences`);
    const side = Math.max(4, Math.min(12, Math.floor(480 / cells[0].length)));
    place.append(canvas);
    const largest = Math.max(1, ...cells.flat());
    const draw = () => {
      canvas.width = cells[0].length * side;
      canvas.height = cells.length * side;
      const pen = canvas.getContext("2d");
      pen.fillStyle = colour("--panel");
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.fillStyle = colour("--differ");
      cells.forEach((row, y) => row.forEach((power, x) => {
        if (!power) return;
        pen.globalAlpha = 0.35 + (0.65 * power) / largest;
        pen.fillRect(x * side, y * side, side, side);
      }));
      pen.globalAlpha = 1;
    };
    draw();
    redraws.push(draw);
  };
  for (const place of document.querySelectorAll("[data-tensor]")) drawTensor(place, data.tensors[Number(place.dataset.tensor)] || []);

  const MEANINGS = ["nothing here", "not compared", "same bits", "in one run only", "different bits"];
  const COLOURS = [null, "--unknown", "--agree", "--one", "--differ"];
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
          for (let column = first; column < end; column += 1) state = Math.max(state, this.cell(row, column));
          if (!fills[state]) continue;
          const x = left + (pixel * room) / pixels;
          const wide = room / pixels;
          const gap = wide > 6 ? 1 : 0;
          pen.fillStyle = fills[state];
          pen.fillRect(x, top, Math.max(1, wide - gap), ROW - 3);
          if (state >= 3 && wide > 10) {  // a mark beside the colour
            pen.fillStyle = ground;
            pen.textAlign = "center";
            pen.fillText(state === 4 ? "×" : "+", x + wide / 2, top + ROW / 2 - 1);
          }
        }
      }
      pen.fillStyle = colour("--quiet");
      const bottom = this.rows.length * ROW + 13;
      const marks = Math.max(2, Math.min(8, Math.floor(room / 90)));
      for (let mark = 0; mark < marks; mark += 1) {
        const column = Math.min(this.to - 1, this.from + Math.round((mark * (shown - 1)) / Math.max(1, marks - 1)));
        const x = left + ((column - this.from + 0.5) * room) / shown;
        pen.textAlign = mark === 0 ? "left" : mark === marks - 1 ? "right" : "center";
        const label = number(this.starts[column]);
        pen.fillText(mark === 0 ? `${this.columnName} ${label}` : label, mark === marks - 1 ? left + room : Math.max(left, x), bottom);
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
      this.detail.replaceChildren(make("p", `${this.rows[row]}, ${range}: ${MEANINGS[this.cell(row, column)]}.`));
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

  const maps = document.getElementById("map-list");
  const alone = data.lanes.length === 1;
  for (const lane of data.lanes) {
    const named = (what) => (alone ? what : `${what}: ${lane.name}`);
    const found = [];
    if (lane.steps) found.push(new AgreementMap(named("State of training, step by step"), lane.steps, "step", () => []));
    if (lane.operations && lane.operations.starts.length) {
      const [compared, differ, onlyA, onlyB] = lane.operations.counts;
      const map = new AgreementMap(named("Operations, module by module"), lane.operations, "operation", describeOperation(lane));
      const only = onlyA + onlyB ? `; ${number(onlyA)} are in run A only, ${number(onlyB)} in run B only` : "";
      map.element.insertBefore(make("p", `${number(differ)} of ${number(compared)} compared operations differ${only}.`, "quiet"), map.canvas);
      found.push(map);
    }
    for (const map of found) {
      document.getElementById("maps").hidden = false;
      maps.append(map.element);
      map.draw();
      map.tell();
      redraws.push(() => map.draw());
      addEventListener("resize", () => map.draw());
    }
  }

  // Which runs agree: a square for each pair.
  const drawGroups = (place, groups) => {
    const canvas = make("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "A square for each pair of runs, filled where they agree; the table below says the same.");
    place.append(canvas);
    const count = groups.group.length;
    const side = Math.max(3, Math.min(24, Math.floor(560 / count)));
    const draw = () => {
      const scale = devicePixelRatio || 1;
      canvas.style.width = canvas.style.height = `${count * side}px`;
      canvas.width = canvas.height = count * side * scale;
      const pen = canvas.getContext("2d");
      pen.scale(scale, scale);
      const fills = [colour("--differ"), colour("--agree")];
      for (let row = 0; row < count; row += 1) {
        for (let column = 0; column < count; column += 1) {
          pen.fillStyle = fills[Number(groups.group[row] === groups.group[column])];
          pen.fillRect(column * side, row * side, side - (side > 6 ? 1 : 0), side - (side > 6 ? 1 : 0));
        }
      }
    };
    draw();
    redraws.push(draw);
  };
  if (data.groups) drawGroups(document.getElementById("groups"), data.groups);

  listSections();
  showTheme();
  root.dataset.ready = "yes";
})();
