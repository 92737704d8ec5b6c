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

const pageItemsMax = 10_000

/** The first items of a list that comes in pages, `limit` at most, and whether there are more. */
export async function firstItems<Item>(
  limit: number,
  page: (request: PageRequest) => Promise<Page<Item>>,
): Promise<{ readonly items: readonly Item[]; readonly more: boolean }> {
  const items: Item[] = []
  let token: string | null | undefined
  while (token !== null && items.length < limit) {
    const request = { limit: Math.min(pageItemsMax, limit - items.length), ...(token === undefined ? {} : { token }) }
    const answer = await page(request)
    items.push(...answer.Items)
    token = answer.NextToken
  }
  return { items, more: token !== null }
}
