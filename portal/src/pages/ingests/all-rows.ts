import type { RejectedRowAnswer } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { type RejectedFilter, requestOf } from './filter.ts'
import { sideOf } from './side.ts'

/** Rows read or processed at once; the work can be stopped between two such steps. */
const rowsAtOnce = 1000

/** All rows that match a filter, one page at a time. */
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
