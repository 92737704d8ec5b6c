import type { TidemarkClient } from '../../../../src/client/client.ts'
import type { RowsOf } from './side.ts'

interface Again {
  readonly pusher: TidemarkClient
  /** Sees the rejected rows. */
  readonly lists: TidemarkClient
  readonly side: RowsOf
  readonly alias: string
  readonly text: string
  readonly signal: AbortSignal
}

const askAgainMs = 150

/** Pushes a mended row. Resolves with null when it is stored, else with what is wrong; then it is in the list no second time. */
export async function pushAgain({ pusher, lists, side, alias, text, signal }: Again): Promise<string | null> {
  const { batch } = await pusher.push(alias, text, {
    format: 'json',
    idempotencyKey: `portal-${performance.timeOrigin}-${performance.now()}`,
  })
  let receipt = await pusher.receipt(alias, batch)
  while (receipt.pending > 0) {
    await new Promise((resolve) => setTimeout(resolve, askAgainMs))
    signal.throwIfAborted()
    receipt = await pusher.receipt(alias, batch)
  }
  const error = receipt.errors[0]
  if (error === undefined) return null
  const { Items } = await lists.rejected(alias, { batch }, side)
  if (Items.length > 0)
    await lists.discardRejected(
      alias,
      Items.map(({ id }) => id),
      side,
    )
  return error.message
}
