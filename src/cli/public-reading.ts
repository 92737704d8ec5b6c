import type { TidemarkClient } from '../client/client.ts'

/** Beside a new key or subscription for reading: that nobody needs one, where that is so. Nothing where the service does not tell. */
export async function publicReading(client: Pick<TidemarkClient, 'settings'>): Promise<string> {
  // What was asked for is done: what cannot be asked now is left out.
  const settings = await client.settings().catch(() => null)
  const consumption = settings?.Items.find(({ setting }) => setting === 'access.consumption')?.value
  // By default it depends on where a request comes from, and the value is a sentence that says so.
  if (typeof consumption !== 'string' || !consumption.startsWith('public')) return ''
  const where = consumption === 'public' ? '' : " on the service's own machine"
  return `Reading needs no key${where} now: whoever has none reads everything too. With access.consumption=key it needs one.\n`
}
