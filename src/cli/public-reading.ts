import type { TidemarkClient } from '../client/client.ts'

/** Beside a new key or subscription for reading: that nobody needs one, where that is so. Nothing where the service does not tell. */
export async function publicReading(client: Pick<TidemarkClient, 'settings'>): Promise<string> {
  // What was asked for is done: what cannot be asked now is left out.
  const settings = await client.settings().catch(() => null)
  const consumption = settings?.Items.find(({ setting }) => setting === 'access.consumption')?.value
  if (consumption !== 'public') return ''
  return 'Reading needs no key now: whoever has none reads everything too. With access.consumption=key it needs one.\n'
}
