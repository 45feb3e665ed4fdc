// Finds the row that shows an event, also if it is folded away.
import { compareIds } from "../api/payload";
import type { Row } from "./rows";
import type { Item } from "./runs";

export interface Found {
  item: Item;
  /** From the item's row down to the one that shows the event. */
  rows: Row[];
}

function shows(row: Row, event: string): boolean {
  return row.event === event || row.key === event || (row.kind === "tool" && row.resultEvent === event);
}

function pathTo(rows: readonly Row[], event: string): Row[] | undefined {
  for (const row of rows) {
    if (shows(row, event)) return [row];
    const below = row.kind === "tool" ? pathTo(row.children, event) : undefined;
    if (below) return [row, ...below];
  }
  return undefined;
}

const rowsOf = (item: Item): readonly Row[] => (item.kind === "run" ? item.rows : [item]);

/** The item with the row of the event; if none has it, the last row that begins before it. */
export function findEvent(items: readonly Item[], event: string): Found | undefined {
  for (const item of items) {
    const rows = pathTo(rowsOf(item), event);
    if (rows) return { item, rows };
  }
  const begins = (row: Row) => compareIds(row.key, event) <= 0;
  const item = items.findLast((one) => begins(rowsOf(one)[0]!)) ?? items[0];
  if (!item) return undefined;
  const rows = rowsOf(item);
  return { item, rows: [rows.findLast(begins) ?? rows[0]!] };
}
