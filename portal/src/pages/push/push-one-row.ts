import type { TidemarkClient } from '../../../../src/client/client.ts'

const askAgainMs = 150

/** Pushes one row and waits until it is judged. `fault` is null where it is stored. */
export async function pushOneRow(
  client: TidemarkClient,
  alias: string,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly batch: string; readonly fault: string | null }> {
  const idempotencyKey = `portal-${performance.timeOrigin}-${performance.now()}`
  const { batch } = await client.push(alias, text, { format: 'json', idempotencyKey })
  let receipt = await client.receipt(alias, batch)
  while (receipt.pending > 0) {
    await new Promise((resolve) => setTimeout(resolve, askAgainMs))
    signal.throwIfAborted()
    receipt = await client.receipt(alias, batch)
  }
  return { batch, fault: receipt.errors[0]?.message ?? null }
}
