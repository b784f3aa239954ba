/** Keeps the first few of many rows, without ever sorting all of them. */

/** The first rows of those added so far. */
export interface Top<Row> {
  add(row: Row): void;
  /** In order. */
  list(): readonly Row[];
}

/** Beyond twice as many as are wanted, so many more are gathered before they are sorted: seldom, and never long. */
const SPARE_ROWS = 1000;

/** Keeps the first `most` rows by an order in which no two are equal. */
export function createTop<Row>(most: number, order: (a: Row, b: Row) => number): Top<Row> {
  let rows: Row[] = [];
  const cut = () => {
    rows = rows.sort(order).slice(0, most);
  };
  return {
    add(row) {
      rows.push(row);
      if (rows.length >= 2 * most + SPARE_ROWS) cut();
    },
    list() {
      cut();
      return rows;
    },
  };
}
