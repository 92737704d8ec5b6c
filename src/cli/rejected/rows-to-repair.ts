import type { TidemarkClient } from '../../client/client.ts'

/** Rejected rows that are still there. */
export async function rowsToRepair(
  client: TidemarkClient,
  alias: string,
  { rejected }: { readonly rejected: number },
): Promise<number> {
  // The counter is of all that ever were: without any, there is nothing to be asked.
  const kinds = rejected === 0 ? [] : await client.rejectedSummary(alias)
  return kinds.reduce((sum, { count }) => sum + count, 0)
}
