import type { Page, PageRequest } from '../client/answers.ts'
import { given } from '../lib/given.ts'

/** All items of a paged list. */
export async function allItems<Item>(page: (request: PageRequest) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = []
  for (let token: string | null | undefined; token !== null; ) {
    const answer = await page(given({ token }))
    items.push(...answer.Items)
    token = answer.NextToken
  }
  return items
}

const pageItemsMax = 10_000

/** The first items of a paged list, at most `limit`, and whether there are more. */
export async function firstItems<Item>(
  limit: number,
  page: (request: PageRequest) => Promise<Page<Item>>,
): Promise<{ readonly items: readonly Item[]; readonly more: boolean }> {
  const items: Item[] = []
  let token: string | null | undefined
  while (token !== null && items.length < limit) {
    const answer = await page(given({ limit: Math.min(pageItemsMax, limit - items.length), token }))
    items.push(...answer.Items)
    token = answer.NextToken
  }
  return { items, more: token !== null }
}
