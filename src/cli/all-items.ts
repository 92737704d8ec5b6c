import type { Page, PageRequest } from '../client/answers.ts'

/** All items of a list that comes in pages. */
export async function allItems<Item>(page: (request: PageRequest) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = []
  for (let token: string | null | undefined; token !== null; ) {
    const answer = await page(token === undefined ? {} : { token })
    items.push(...answer.Items)
    token = answer.NextToken
  }
  return items
}
