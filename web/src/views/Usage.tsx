import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { usageByDay } from "../api/calls";
import type { UsageReport } from "../api/types";
import { count, plural } from "../lib/format";
import { byDay, lastDays, type Sum, sumBy } from "../store/usage";
import { attempt, harnessName } from "../ui/parts";

const money = (usd: number) => (usd ? `$${usd.toFixed(2)}` : "–");

/** Bars of each day, one harness upon another. */
function Chart({ report, days, measure }: { report: UsageReport; days: string[]; measure: "tokens" | "cost" }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const at = box.current;
    if (!at) return;
    const { harnesses, series } = byDay(report.rows, days, (sum) => (measure === "cost" ? sum.cost : sum.input + sum.output));
    const stacked: number[][] = [];
    for (const values of series) stacked.push(values.map((value, i) => value + (stacked.at(-1)?.[i] ?? 0)));
    const style = getComputedStyle(document.documentElement);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const bars = uPlot.paths.bars!({ size: [0.7, 40] });
    const axis = { stroke: color("--muted"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const chart = new uPlot(
      {
        width: at.clientWidth,
        height: 220,
        cursor: { show: false },
        legend: { show: false },
        scales: { x: { time: false, range: () => [-0.7, days.length - 0.3] }, y: { range: (_, __, max) => [0, max || 1] } },
        axes: [
          { ...axis, grid: { show: false }, values: (_, splits) => splits.map((i) => days[i]?.slice(5) ?? "") },
          { ...axis, size: 56, values: (_, splits) => splits.map((n) => (measure === "cost" ? money(n) : count(n))) },
        ],
        // The highest stack is drawn first, so that all are seen.
        series: [{}, ...harnesses.map((id) => ({ label: id, fill: color(`--harness-${id}`) || color("--accent"), stroke: "transparent", width: 0, paths: bars, points: { show: false } })).reverse()],
      },
      [days.map((_, i) => i), ...stacked.reverse()],
      at,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: at.clientWidth, height: 220 }));
    observer.observe(at);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [report, measure]);
  return <div class="chart" ref={box} role="img" aria-label={`${measure === "cost" ? "Cost" : "Tokens"} by day; the tables below have the numbers`} />;
}

function Table({ title, sums }: { title: string; sums: Sum[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <div class="scroller" tabIndex={0} role="group" aria-label={title}>
        <table class="numbers">
          <thead><tr><th scope="col">{title.replace("By ", "")}</th><th scope="col">Tasks</th><th scope="col">Input</th><th scope="col">Cached</th><th scope="col">Output</th><th scope="col">Cost</th></tr></thead>
          <tbody>
            {sums.map((sum) => (
              <tr>
                <th scope="row">{sum.name || "unknown"}</th><td>{sum.tasks}</td><td>{count(sum.input)}</td><td>{count(sum.cached)}</td><td>{count(sum.output)}</td><td>{money(sum.cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function Usage() {
  const [report, setReport] = useState<UsageReport>();
  const [failed, setFailed] = useState(false);
  const [length, setLength] = useState(30);
  const [measure, setMeasure] = useState<"tokens" | "cost">("tokens");
  const days = lastDays(length, new Date());
  useEffect(() => {
    void attempt(usageByDay(new Date(`${days[0]}T00:00:00`).toISOString())).then((reply) => {
      setFailed(!reply);
      if (reply) setReport(reply);
    });
  }, [length]);
  const total = report && sumBy(report.rows, () => "")[0];
  const harnesses = report ? [...new Set(report.rows.map(({ harness }) => harness))].sort() : [];
  return (
    <main class="page usage" aria-label="Usage">
      <header class="page-header">
        <h1>Usage</h1>
        <select aria-label="Period" value={length} onChange={(event) => setLength(Number(event.currentTarget.value))}>
          <option value={7}>7 days</option><option value={30}>30 days</option><option value={90}>90 days</option>
        </select>
        <select aria-label="Measure" value={measure} onChange={(event) => setMeasure(event.currentTarget.value as "tokens" | "cost")}>
          <option value="tokens">Tokens</option><option value="cost">Cost</option>
        </select>
      </header>
      {!report && <p class="empty" role="status">{failed ? "The usage can't be read." : "Loading…"}</p>}
      {report && (
        <>
          <dl class="figures">
            <div><dt>Tasks</dt><dd>{total?.tasks ?? 0}</dd></div>
            <div><dt>Input</dt><dd>{count(total?.input ?? 0)}</dd></div>
            <div><dt>Cached</dt><dd>{total?.input ? `${Math.round((100 * total.cached) / total.input)} %` : "–"}</dd></div>
            <div><dt>Output</dt><dd>{count(total?.output ?? 0)}</dd></div>
            <div><dt>Cost</dt><dd>{money(total?.cost ?? 0)}</dd></div>
          </dl>
          <Chart key={length} report={report} days={days} measure={measure} />
          <p class="chart-legend">{harnesses.map((id) => <span class={`harness harness-${id}`}><span class="dot" />{harnessName(id)}</span>)}</p>
          <div class="tables">
            <Table title="By harness" sums={sumBy(report.rows, ({ harness }) => harnessName(harness))} />
            <Table title="By model" sums={sumBy(report.rows, ({ model }) => model)} />
            <Table title="By day" sums={sumBy(report.rows, ({ day }) => day).sort((a, b) => (a.name < b.name ? 1 : -1))} />
          </div>
          <p class="muted">Tasks count on the day that they were made. Costs are those that harnesses report; {plural(report.rows.filter(({ costUsd }) => !costUsd).length, "row has", "rows have")} none.</p>
        </>
      )}
    </main>
  );
}
