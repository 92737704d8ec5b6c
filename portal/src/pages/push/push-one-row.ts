import type { TidemarkClient } from '../../../../src/client/client.ts'
import type { LinePrecision } from '../../../../src/model/line-format.ts'

const askAgainMs = 150

/** Pushes one row, or a line of line protocol if `precision` is given, and waits until it is validated. `fault` is null if it is stored. */
export async function pushOneRow(
  client: TidemarkClient,
  alias: string,
  text: string,
  signal: AbortSignal,
  precision?: LinePrecision,
): Promise<{ readonly batch: string; readonly fault: string | null }> {
  const idempotencyKey = `portal-${performance.timeOrigin}-${performance.now()}`
  const { batch } =
    precision === undefined
      ? await client.push(alias, text, { format: 'json', idempotencyKey })
      : await client.pushLines(alias, text, { precision, idempotencyKey })
  let receipt = await client.receipt(alias, batch)
  while (receipt.pending > 0) {
    await new Promise((resolve) => setTimeout(resolve, askAgainMs))
    signal.throwIfAborted()
    receipt = await client.receipt(alias, batch)
  }
  return { batch, fault: receipt.errors[0]?.message ?? null }
}
