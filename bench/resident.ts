import { adminKey } from '../test/support/server-process.ts'

/** How much memory the service takes, by its metrics. */
export async function residentBytes(url: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })
  const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(await response.text())?.[1])
  if (!(bytes > 0)) throw new Error('the metrics do not tell how much memory is taken')
  return bytes
}
