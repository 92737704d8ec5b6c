import type { TidemarkClient } from '../../../../src/client/client.ts'
import type { LinePrecision } from '../../../../src/model/line-format.ts'
import { pushOneRow } from '../push/push-one-row.ts'
import type { RowsOf } from './side.ts'

interface Again {
  readonly pusher: TidemarkClient
  /** Sees the rejected rows. */
  readonly lists: TidemarkClient
  readonly side: RowsOf
  readonly alias: string
  readonly text: string
  /** Of a line of line protocol. */
  readonly precision?: LinePrecision | undefined
  readonly signal: AbortSignal
}

/** Pushes a mended row. Resolves with null when it is stored, else with what is wrong; then it is in the list no second time. */
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
