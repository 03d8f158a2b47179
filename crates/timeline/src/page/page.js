"use strict";
(() => {
  const { runs, comparison, many } = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);

  // Every text goes in as text: evidence is what strangers' programs wrote.
  const make = (tag, properties = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name === "style") for (const [key, set] of Object.entries(value)) element.style.setProperty(key, set);
      else if (name in element) element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const seconds = (time) => (Math.abs(time) < 1 ? `${(time * 1000).toFixed(1)} ms` : `${time.toFixed(2)} s`);
  const short = (name) => name.replace(/^AKS\.(CSE\.)?/, "");
  const place = (at) => (at.file ? at.file + (at.line ? `:${at.line}` : "") : "");
  // Timestamps have up to nine digits after the second; a Date would keep three.
  const instant = (text) => {
    const fraction = /\.(\d+)/.exec(text);
    return Date.parse(text.replace(/\.\d+/, "")) / 1000 + (fraction ? Number(`0.${fraction[1]}`) : 0);
  };

  /// A start with times as seconds since its first moment.
  const prepared = ({ name, anatomy }) => {
    const moments = Object.entries(anatomy.milestones).map(([moment, time]) => ({ name: moment, at: instant(time) }));
    const bars = anatomy.intervals.map((interval) => ({ ...interval, from: instant(interval.start), to: instant(interval.end) }));
    const origin = Math.min(...bars.map((bar) => bar.from), ...moments.map((moment) => moment.at));
    for (const moment of moments) moment.at -= origin;
    for (const bar of bars) [bar.from, bar.to] = [bar.from - origin, bar.to - origin];
    const part = (piece) => ({ ...piece, from: instant(piece.start) - origin, to: instant(piece.end) - origin });
    const end = Math.max(0.001, ...bars.map((bar) => bar.to), ...moments.map((moment) => moment.at));
    moments.sort((a, b) => a.at - b.at);
    return { name, anatomy, bars, moments, end, way: anatomy.path.map(part), gaps: anatomy.gaps.map(part) };
  };

  const starts = runs.map(prepared);
  let run;
  let view;
  let rows;
  let selected;

  const color = (phase) => ({ "--color": `var(--${phase})` });

  // The chart: rows of bars on one scale.
  const span = () => view.to - view.from;
  const percent = (time) => ((time - view.from) / span()) * 100;
  const rowsOf = () => {
    const found = new Map();
    run.bars.forEach((bar, at) => {
      if (bar.source === "event" && bar.to === bar.from) return;
      if ($("critical").checked && !bar.critical) return;
      const key = bar.envelope ? at : bar.name;
      if (!found.has(key)) found.set(key, { name: short(bar.name), bars: [] });
      found.get(key).bars.push(bar);
    });
    const all = [...found.values()];
    for (const row of all) row.took = row.bars.reduce((sum, bar) => sum + bar.to - bar.from, 0);
    if ($("longest").checked) all.sort((a, b) => b.took - a.took);
    const gaps = run.gaps.filter((gap) => gap.to - gap.from >= run.end / 200);
    for (const gap of gaps) all.push({ name: gap.why, gap, took: gap.to - gap.from, bars: [] });
    for (const moment of run.moments) all.push({ name: moment.name, moment, took: moment.at, bars: [] });
    return all;
  };
  const position = (element, from, to) => {
    element.style.left = `${percent(from)}%`;
    element.style.width = `${((to - from) / span()) * 100}%`;
  };
  const fill = () => {
    rows = rowsOf();
    $("rows").replaceChildren(
      ...rows.map((row, at) => {
        const track = make("span", { className: "track" });
        row.drawn = row.bars.map((bar) => {
          const kind = bar.critical ? "" : "beside";
          const drawn = make("i", { className: bar.envelope ? "beside envelope" : kind, style: color(bar.phase) });
          drawn.title = `${short(bar.name)}, ${seconds(bar.to - bar.from)}`;
          drawn.onclick = (event) => { select(at, bar); event.stopPropagation(); };
          drawn.ondblclick = () => zoomTo(bar.from, bar.to);
          track.append(drawn);
          return [drawn, bar.from, bar.to];
        });
        if (row.gap) {
          const drawn = make("i", { className: "gap" });
          row.drawn.push([drawn, row.gap.from, row.gap.to]);
          track.append(drawn);
        }
        if (row.moment) {
          const drawn = make("i", { className: "moment" });
          row.drawn.push([drawn, row.moment.at, row.moment.at]);
          track.append(drawn);
        }
        const times = row.bars.length > 1 ? ` ×${row.bars.length}` : "";
        const took = row.moment ? `+${seconds(row.took)}` : seconds(row.took);
        const line = make(
          "div",
          { id: `row-${at}`, role: "option" },
          make("span", { className: "name", title: row.name }, row.name + times),
          track,
          make("span", { className: "number" }, took),
        );
        line.setAttribute("aria-selected", "false");
        line.onclick = () => select(at);
        return line;
      }),
    );
    placeAll();
  };
  const placeAll = () => {
    for (const row of rows) for (const [drawn, from, to] of row.drawn) position(drawn, from, to);
    const rough = span() / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const scale = make("div");
    for (let tick = Math.ceil(view.from / step) * step; tick < view.to; tick += step) {
      const label = step < 1 ? `${Math.round(tick * 1000)} ms` : `${tick.toFixed(0)} s`;
      // Left of its line where the right has no room.
      const className = percent(tick) > 94 ? "last" : "";
      scale.append(make("span", { className, style: { left: `${percent(tick)}%` } }, label));
    }
    scale.onpointerdown = drag;
    $("ruler").replaceChildren(scale);
  };
  const zoomTo = (from, to) => {
    const least = run.end / 100000;
    const middle = (from + to) / 2;
    const half = Math.max(to - from, least) / 2;
    const width = Math.min(half * 2, run.end);
    const start = Math.min(Math.max(0, middle - half), run.end - width);
    view = { from: start, to: start + width };
    placeAll();
  };
  const zoom = (factor, around = (view.from + view.to) / 2) =>
    zoomTo(around - (around - view.from) * factor, around + (view.to - around) * factor);
  const move = (part) => zoomTo(view.from + span() * part, view.to + span() * part);
  const drag = (down) => {
    const scale = down.currentTarget;
    const box = scale.getBoundingClientRect();
    const time = (event) => view.from + (Math.min(Math.max(event.clientX - box.left, 0), box.width) / box.width) * span();
    const from = time(down);
    const shade = make("span", { className: "drag" });
    scale.append(shade);
    scale.setPointerCapture(down.pointerId);
    scale.onpointermove = (event) => position(shade, Math.min(from, time(event)), Math.max(from, time(event)));
    scale.onpointerup = (event) => {
      scale.onpointermove = scale.onpointerup = null;
      shade.remove();
      const to = time(event);
      if (Math.abs(to - from) > span() / 200) zoomTo(Math.min(from, to), Math.max(from, to));
    };
  };

  // What is known of the selected.
  const told = (title, facts, evidence = [], more = []) => {
    const list = make("dl");
    for (const [name, value] of facts) if (value) list.append(make("dt", {}, name), make("dd", {}, value));
    const lines = evidence.filter((at) => at.file).flatMap((at) => {
      const where = make("p", { className: "quiet" }, place(at));
      return at.text ? [where, make("pre", {}, at.text)] : [where];
    });
    $("evidence").replaceChildren(make("h3", {}, title), list, ...lines, ...more);
  };
  const tellBar = (row, bar) => {
    const others = row.bars.length > 1
      ? [make("p", { className: "quiet" }, `One of ${row.bars.length} of this name, ${seconds(row.took)} together.`)]
      : [];
    told(short(bar.name), [
      ["took", seconds(bar.to - bar.from)],
      ["from", `+${seconds(bar.from)}`],
      ["to", `+${seconds(bar.to)}`],
      ["phase", bar.phase],
      ["Ready", bar.critical ? "waited for it" : "did not wait for it"],
      ["without it", bar.saves_seconds > 0 ? `${seconds(bar.saves_seconds)} earlier` : ""],
      ["after", bar.after],
      ["ended", bar.outcome],
      ["told by", `${bar.source}, ${bar.certainty}`],
    ], [bar.evidence], others);
  };
  const tellGap = (gap) => told(gap.why, [
    ["took", seconds(gap.to - gap.from)],
    ["from", `+${seconds(gap.from)}`],
    ["after", short(gap.after)],
    ["before", short(gap.before)],
    ["Ready", "waited, and nothing known ran"],
  ]);
  const select = (at, bar) => {
    const before = $(`row-${selected}`);
    if (before) before.setAttribute("aria-selected", "false");
    selected = Math.min(Math.max(at, 0), rows.length - 1);
    const row = rows[selected];
    if (!row) return;
    const line = $(`row-${selected}`);
    line.setAttribute("aria-selected", "true");
    $("rows").setAttribute("aria-activedescendant", line.id);
    // Only the list scrolls, never the page.
    const list = $("rows");
    const top = line.offsetTop - list.offsetTop;
    list.scrollTop = Math.min(Math.max(list.scrollTop, top + line.offsetHeight - list.clientHeight), top);
    if (row.gap) return tellGap(row.gap);
    if (row.moment) return told(row.name, [["at", `+${seconds(row.moment.at)}`]]);
    tellBar(row, bar || row.bars.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a)));
  };
  const selectBar = (bar) => {
    const find = () => rows.findIndex((row) => row.bars.includes(bar));
    if (find() < 0) {
      $("critical").checked = false;
      fill();
    }
    if (find() >= 0) select(find(), bar);
  };

  // The way to Ready, and what it was made of.
  const way = () => {
    const total = run.anatomy.total_seconds || run.end;
    $("way").replaceChildren(...run.way.map((part) => {
      const bar = part.interval === null ? null : run.bars[part.interval];
      const gap = bar ? null : run.gaps.find((gap) => gap.start === part.start) || part;
      const name = bar ? short(bar.name) : gap.why || "nothing known";
      const label = `${name}, ${seconds(part.to - part.from)}`;
      const piece = make("button", { type: "button", title: label, "aria-label": label, style: bar ? color(bar.phase) : {} });
      if (gap) piece.className = "gap";
      piece.style.width = `${((part.to - part.from) / total) * 100}%`;
      piece.onclick = () => {
        zoomTo(Math.max(0, part.from - total / 20), part.to + total / 20);
        if (bar) return selectBar(bar);
        const at = rows.findIndex((row) => row.gap && row.gap.start === gap.start);
        if (at >= 0) select(at);
        else tellGap({ why: name, after: "", before: "", ...gap });
      };
      return piece;
    }));
    const phases = Object.entries(run.anatomy.phases).sort(([, a], [, b]) => b - a);
    $("legend").replaceChildren(...phases.map(([phase, took]) => make(
      "li",
      { style: color(phase) },
      make("i", { className: phase === "gaps" ? "gap" : "" }),
      `${phase} ${seconds(took)}, ${Math.round((took / total) * 100)} %`,
    )));
    $("findings").replaceChildren(...run.anatomy.findings.map((finding) => make(
      "li", {}, make("b", {}, `${finding.about}: ${finding.message}`), make("br"), finding.advice,
    )));
    const set = run.anatomy.clock_steps.map((step) =>
      `The clock was set by ${seconds(step.by)} at ${step.before}; times are on the clock as it was then.`);
    const unread = run.anatomy.problems.map((problem) => `${place(problem)}: ${problem.message}`);
    $("notes").replaceChildren(...[...set, ...unread].map((note) => make("li", {}, note)));
    const ready = run.moments.find((moment) => moment.name === "node-ready");
    const largest = run.anatomy.shares[0];
    $("summary").textContent = [
      run.name,
      ready ? `Ready after ${seconds(ready.at)}` : `not Ready; ${seconds(run.end)} are known`,
      largest ? `most of it: ${short(largest.what)}, ${seconds(largest.seconds)}` : "",
    ].filter(Boolean).join(" · ");
  };

  // The table, sorted by a click on a column's name.
  const columns = [
    ["what", (bar) => short(bar.name)],
    ["phase", (bar) => bar.phase],
    ["from", (bar) => bar.from, seconds],
    ["took", (bar) => bar.to - bar.from, seconds],
    ["without it earlier by", (bar) => bar.saves_seconds, (time) => (time > 0 ? seconds(time) : "")],
    ["told by", (bar) => bar.source],
    ["evidence", (bar) => place(bar.evidence)],
  ];
  let sorting = { by: 2, down: false };
  const table = () => {
    const value = columns[sorting.by][1];
    const compare = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
    const bars = [...run.bars].sort((a, b) => compare(value(a), value(b)) * (sorting.down ? -1 : 1));
    const head = make("tr", {}, ...columns.map(([name, , print], at) => {
      const button = make("button", { type: "button" }, name);
      button.onclick = () => { sorting = { by: at, down: sorting.by === at ? !sorting.down : Boolean(print) }; table(); };
      const cell = make("th", { scope: "col", className: print ? "number" : "" }, button);
      if (sorting.by === at) cell.setAttribute("aria-sort", sorting.down ? "descending" : "ascending");
      return cell;
    }));
    $("table").replaceChildren(
      make("thead", {}, head),
      make("tbody", {}, ...bars.map((bar) => make("tr", {}, ...columns.map(([, of, print]) =>
        make("td", { className: print ? "number" : "" }, print ? print(of(bar)) : of(bar)))))),
    );
  };

  // What tells starts apart: the end of their names, from where these differ.
  const apart = (names) => {
    const folders = (name) => name.split("/").slice(0, -1);
    const same = names.map(folders).reduce((one, other) => {
      const differs = one.findIndex((folder, at) => folder !== other[at]);
      return differs < 0 ? one : one.slice(0, differs);
    });
    return names.map((name) => name.split("/").slice(same.length).join("/") || name);
  };

  // Several starts.
  const several = () => {
    const names = apart(comparison.runs.map((name) => name.replace(/\/+$/, "")));
    const most = Math.max(...starts.map((start) => start.anatomy.total_seconds));
    $("stacks").replaceChildren(...starts.map((start, at) => {
      const stack = make("span", { className: "stack" });
      for (const { name } of comparison.phases) {
        const took = start.anatomy.phases[name];
        if (!took) continue;
        const piece = make("span", { title: `${name}, ${seconds(took)}`, style: color(name) });
        if (name === "gaps") piece.className = "gap";
        piece.style.width = `${(took / most) * 100}%`;
        stack.append(piece);
      }
      const ready = start.anatomy.milestones["node-ready"] ? "" : ", not Ready";
      const button = make("button", { type: "button", title: start.name }, make("span", {}, names[at]), stack,
        make("span", { className: "number" }, seconds(start.anatomy.total_seconds) + ready));
      button.setAttribute("aria-pressed", String(start === run));
      button.onclick = () => show(start);
      return button;
    }));
    const few = starts.length < many;
    const titles = few ? names : ["starts", "median", "90 of 100", "99 of 100"];
    const cells = (row) => {
      if (!few) {
        const known = row.seconds.filter((time) => time !== null).length;
        return [`${known}`, ...[row.p50, row.p90, row.p99].map(seconds)].map((text) => make("td", { className: "number" }, text));
      }
      return row.seconds.map((time, at) => {
        const cell = make("td", { className: "number" }, time === null ? "" : seconds(time));
        const change = at > 0 && time !== null && row.seconds[0] !== null ? time - row.seconds[0] : 0;
        if (Math.abs(change) >= 0.005) {
          cell.append(" ", make("span", { className: change > 0 ? "more" : "less" }, (change > 0 ? "+" : "−") + seconds(Math.abs(change))));
        }
        return cell;
      });
    };
    const body = [...comparison.phases, ...comparison.milestones].map((row) =>
      make("tr", {}, make("th", { scope: "row" }, row.name), ...cells(row)));
    $("phases").replaceChildren(
      make("thead", {}, make("tr", {}, make("td"), ...titles.map((title) => make("th", { scope: "col", className: "number" }, title)))),
      make("tbody", {}, ...body),
    );
    $("comparison").hidden = false;
  };

  const show = (start) => {
    run = start;
    view = { from: 0, to: run.end };
    selected = undefined;
    way();
    fill();
    table();
    if (starts.length > 1) several();
    const longest = run.bars.filter((bar) => bar.critical && !bar.envelope).reduce((a, b) => (!a || b.to - b.from > a.to - a.from ? b : a), null);
    if (longest) selectBar(longest);
    else if (rows.length) select(0);
  };

  $("in").onclick = () => zoom(0.5);
  $("out").onclick = () => zoom(2);
  $("all").onclick = () => zoomTo(0, run.end);
  for (const id of ["critical", "longest"]) $(id).onchange = () => { fill(); select(0); };
  $("rows").onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      ArrowDown: () => select((selected ?? -1) + 1),
      ArrowUp: () => select((selected ?? 1) - 1),
      Home: () => select(0),
      End: () => select(rows.length - 1),
      ArrowLeft: () => move(-0.2),
      ArrowRight: () => move(0.2),
      "+": () => zoom(0.5),
      "=": () => zoom(0.5),
      "-": () => zoom(2),
      0: () => zoomTo(0, run.end),
      Enter: () => {
        const drawn = rows[selected]?.drawn;
        if (drawn?.length) zoomTo(Math.min(...drawn.map(([, from]) => from)), Math.max(...drawn.map(([, , to]) => to)));
      },
    };
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
  };
  $("chart").addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = $("ruler").firstChild.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, view.from + ((event.clientX - box.left) / box.width) * span());
  }, { passive: false });

  document.querySelector("main").hidden = false;
  if (starts.length) show(starts[0]);
})();
