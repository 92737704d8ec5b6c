import type { TidemarkClient } from '../../../../src/client/client.ts'
import type { LinePrecision } from '../../../../src/model/line-format.ts'
import { pushOneRow } from '../push/push-one-row.ts'
import type { RowsOf } from './side.ts'

interface Again {
  readonly pusher: TidemarkClient
  /** A client that can see the rejected rows. */
  readonly lists: TidemarkClient
  readonly side: RowsOf
  readonly alias: string
  readonly text: string
  /** For a line of line protocol. */
  readonly precision?: LinePrecision | undefined
  readonly signal: AbortSignal
}

/** Pushes an edited row. Resolves with null when it is stored, else with its fault; in that case the row is not listed a second time. */
export async function pushAgain({
  pusher,
  lists,
  side,
  alias,
  text,
  precision,
  signal,
}: Again): Promise<string | null> {
  const { batch, fault } = await pushOneRow(pusher, alias, text, signal, precision)
  if (fault === null) return null
  const { Items } = await lists.rejected(alias, { batch }, side)
  if (Items.length > 0)
    await lists.discardRejected(
      alias,
      Items.map(({ id }) => id),
      side,
    )
  return fault
}
