"use strict";
// Curves and the timeline of a report; the numbers stand in the page itself.
const told = JSON.parse(document.getElementById("data").textContent);
const colours = ["#2f6fb3", "#d9822b", "#3a9d5d", "#b3423a", "#7d5ba6", "#8c6d46", "#c2588f", "#5f6b76"];
const prefixes = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

function scaleOf(topic) {
  // The prefix with which the largest value is between 1 and 1000.
  const values = Object.values(topic.lines).flat().filter((v) => v !== null).map(Math.abs);
  const largest = values.reduce((a, b) => Math.max(a, b), 0);
  if (!topic.unit || largest === 0) return [1, topic.unit];
  const [size, prefix] = prefixes.find(([s]) => largest >= s) || prefixes[prefixes.length - 1];
  return [size, prefix + topic.unit];
}

function draw(place) {
  const topic = told.curves[place.dataset.topic];
  const names = Object.keys(topic.lines);
  const anything = names.some((name) => topic.lines[name].some((v) => v !== null));
  if (!anything || topic.times.length < 2) {
    place.textContent = "nothing to show";
    return;
  }
  const [size, unit] = scaleOf(topic);
  const lines = names.map((name) => topic.lines[name].map((v) => (v === null ? null : v / size)));
  const shown = (u, v) => (v === null || v === undefined ? "-" : Number(v).toPrecision(4));
  const series = [{ label: "time [s]", value: shown }];
  names.forEach((name, i) => {
    series.push({ label: name, stroke: colours[i % colours.length], width: 1.5, value: shown, points: { show: false } });
  });
  const options = {
    width: place.clientWidth,
    height: 220,
    series,
    scales: { x: { time: false } },
    axes: [{ label: "time [s]", size: 36, labelSize: 18 }, { label: unit ? "[" + unit + "]" : "", size: 58, labelSize: 18 }],
    cursor: { sync: { key: "time" } },
  };
  const plot = new uPlot(options, [topic.times, ...lines], place);
  const fit = () => plot.setSize({ width: place.clientWidth, height: 220 });
  window.addEventListener("resize", fit);
  window.addEventListener("beforeprint", () => plot.setSize({ width: 680, height: 180 }));
  window.addEventListener("afterprint", fit);
}

function timeline(place) {
  const pairs = told.pairs;
  if (!pairs.length) {
    place.textContent = "nothing touched";
    return;
  }
  const times = told.curves.contacts.times;
  const end = times.length ? times[times.length - 1] : 1;
  const start = Math.min(0, ...pairs.map((p) => p.spans[0][0]));
  const row = 18, left = 240, width = 1100;
  const x = (t) => left + ((t - start) / (end - start || 1)) * (width - left - 10);
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${row * pairs.length + 22}`);
  const add = (kind, attributes, text) => {
    const item = document.createElementNS(space, kind);
    for (const [key, value] of Object.entries(attributes)) item.setAttribute(key, value);
    if (text !== undefined) item.textContent = text;
    svg.append(item);
    return item;
  };
  pairs.forEach((pair, i) => {
    const y = row * i;
    add("line", { x1: left, x2: width - 10, y1: y + row / 2, y2: y + row / 2, stroke: "#eef1f4" });
    const name = pair.name.length > 36 ? pair.name.slice(0, 35) + "…" : pair.name;
    add("text", { x: 0, y: y + row - 5 }, name);
    for (const [from, to] of pair.spans) {
      const bar = add("rect", {
        x: x(from), y: y + 3, width: Math.max(0.8, x(to) - x(from)), height: row - 6, fill: colours[i % colours.length],
      });
      const title = document.createElementNS(space, "title");
      title.textContent = `${pair.name}: ${from.toPrecision(5)} s to ${to.toPrecision(5)} s`;
      bar.append(title);
    }
  });
  for (let k = 0; k <= 5; k++) {
    const t = start + (k / 5) * (end - start);
    const anchor = k === 0 ? "start" : k === 5 ? "end" : "middle";
    add("text", { x: x(t), y: row * pairs.length + 16, "text-anchor": anchor }, Number(t.toPrecision(3)) + " s");
  }
  place.append(svg);
}

document.querySelectorAll(".plot").forEach(draw);
timeline(document.getElementById("timeline"));
