import type { RejectedRowAnswer } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { type RejectedFilter, requestOf } from './filter.ts'
import { sideOf } from './side.ts'

/** How many rows are asked for, or worked on, at once: between two of these the work can be stopped. */
const rowsAtOnce = 1000

/** All rows of a filter, a page at a time. */
export async function* pagesOfRows(
  client: TidemarkClient,
  alias: string,
  filter: RejectedFilter,
): AsyncGenerator<readonly RejectedRowAnswer[]> {
  for (let token: string | null | undefined; token !== null; ) {
    const page = await client.rejected(alias, { ...requestOf(filter, token), limit: rowsAtOnce }, sideOf())
    yield page.Items
    token = page.NextToken
  }
}
