/** Does something that takes some milliseconds with each of many, and lets others run in between. */
export async function oneByOne<Item, Result>(items: Iterable<Item>, act: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    await new Promise((resolve) => setImmediate(resolve));
    results.push(act(item));
  }
  return results;
}
