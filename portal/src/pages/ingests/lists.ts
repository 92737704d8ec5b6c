import type { Page, RejectedRowAnswer } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import type { RejectedFilter, RejectedRequest } from './filter.ts'

/** Rejected rows with the same fault; `example` is one of them. */
export interface Fault {
  readonly code: string
  readonly field: string | null
  readonly count: number
  readonly first: string
  readonly last: string
}

const pageRows = 10_000
/** More rejected rows are counted as these. */
const pagesMax = 20

/** The faults among the rejected rows, most first. */
export async function faultsOf(client: TidemarkClient, alias: string): Promise<readonly Fault[]> {
  const faults = new Map<string, Fault>()
  let token: string | null | undefined
  for (let pages = 0; pages < pagesMax && token !== null; pages++) {
    const page: Page<RejectedRowAnswer> = await client.rejected(alias, { limit: pageRows, ...(token && { token }) })
    for (const { code, field, received } of page.Items) {
      const key = JSON.stringify([code, field])
      // They come in the order in which they were received.
      const known = faults.get(key) ?? { code, field, count: 0, first: received, last: received }
      faults.set(key, { ...known, count: known.count + 1, last: received })
    }
    token = page.NextToken
  }
  return [...faults.values()].toSorted((a, b) => b.count - a.count)
}

/** A page of rejected rows; of those with one property at fault, those that are on it. */
export async function rejectedPage(
  client: TidemarkClient,
  alias: string,
  { field, ...request }: RejectedFilter & RejectedRequest,
): Promise<Page<RejectedRowAnswer>> {
  const page = await client.rejected(alias, request)
  if (field === undefined) return page
  return { Items: page.Items.filter((row) => row.field === field), NextToken: page.NextToken }
}
