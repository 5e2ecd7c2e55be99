// Curves, tensors and groups: what is drawn once and again after a change of the theme.
// Steps are whole numbers.
const WHOLE = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();

// A logarithmic axis as long as its curve, with a little room.
const logarithmic = { distr: 3, log: 10, range: (_, low, high) => [(low || 1e-9) / 1.3, (high || 1) * 1.3] };

// Curves: both losses, and how far they lie apart.
const drawGrowth = (place, growth) => {
  let chart;
  const draw = () => {
    if (chart) chart.destroy();
    const positive = growth.distance.map((value) => (value > 0 ? value : null));
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--rule"), width: 1 }, ticks: { stroke: colour("--rule") } };
    const values = (_, splits) => splits.map((v) => (v === null ? "" : v.toExponential(0)));
    chart = new uPlot({
      width: place.clientWidth, height: 280,
      scales: { x: { time: false }, y: logarithmic, loss: {} },
      axes: [
        { ...axis, incrs: WHOLE, label: "step", labelSize: 20 },
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
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--rule"), width: 1 }, ticks: { stroke: colour("--rule") } };
    const values = (_, splits) => splits.map((v) => (v === null ? "" : v.toExponential(0)));
    const at = (part) => {
      const known = new Map(part.steps.map((step, index) => [step, part.relative[index]]));
      return steps.map((step) => (known.get(step) > 0 ? known.get(step) : null));
    };
    chart = new uPlot({
      width: place.clientWidth, height: 280,
      scales: { x: { time: false }, y: logarithmic },
      axes: [{ ...axis, incrs: WHOLE, label: "step", labelSize: 20 }, { ...axis, values, size: 64, label: "relative distance", labelSize: 20 }],
      series: [{ label: "step" }, ...parts.map((part, index) => ({
        label: part.name, stroke: colour(strokes[index % 3]), width: 2, dash: dashes[index % 3], spanGaps: true, points: { show: true },
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
  const side = Math.max(4, Math.min(12, Math.floor(480 / cells[0].length), Math.floor(320 / cells.length)));
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
