// Sums of usage rows, for tables and charts.
import type { UsageRow } from "../api/types";
import { tokens } from "../lib/format";

export interface Sum {
  name: string;
  tasks: number;
  input: number;
  cached: number;
  output: number;
  cost: number;
}

export function sumBy(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const name = nameOf(row);
    const sum = sums.get(name) ?? { name, tasks: 0, input: 0, cached: 0, output: 0, cost: 0 };
    const counted = tokens(row.tokens);
    sum.tasks += row.tasks;
    sum.input += counted.input;
    sum.cached += counted.cached;
    sum.output += counted.output;
    sum.cost += row.costUsd;
    sums.set(name, sum);
  }
  return [...sums.values()].sort((a, b) => b.input + b.output - a.input - a.output);
}

/** A number for each day of the last ones and each harness. */
export function byDay(rows: readonly UsageRow[], days: readonly string[], value: (sum: Sum) => number) {
  const harnesses = [...new Set(rows.map(({ harness }) => harness))].sort();
  const series = harnesses.map((harness) => {
    const sums = new Map(sumBy(rows.filter((row) => row.harness === harness), ({ day }) => day).map((sum) => [sum.name, sum]));
    return days.map((day) => {
      const sum = sums.get(day);
      return sum ? value(sum) : 0;
    });
  });
  return { harnesses, series };
}

export function lastDays(count: number, today: Date): string[] {
  return Array.from({ length: count }, (_, i) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - i));
    return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
  });
}
