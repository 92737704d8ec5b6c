// Rows as a plant that was never quite right would push them: there is something to repair in the portal.
import type { TidemarkClient } from '../../client/client.ts'
import { ingestAlias } from './feed.ts'
import { instrumentsOf } from './plant.ts'

const rowsEach = 12

/** NDJSON of which no row is stored: values that are texts, a property that is no field, times that are missing or none. */
export function faultyRows(seed: number, nowMs: number): string {
  const tags = instrumentsOf(seed).map(({ tag }) => tag)
  const at = (index: number): string => new Date(nowMs - index * 60_000).toISOString()
  const rows = Array.from({ length: rowsEach }, (_, index) => {
    const T = tags[(index * 7) % tags.length]
    return [
      { D: at(index), T, V: index % 2 === 0 ? 'bad input' : '21,5' },
      { D: at(index), T, V: 20 + index, quality: 192 },
      { D: at(index), T, V: 30 + index, quality: 0 },
      ...(index % 3 === 0
        ? [
            { D: `${14 + index}.01.2026 08:00`, T, V: index },
            { T, V: index },
          ]
        : []),
    ]
  })
  return rows
    .flat()
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('')
}

/** Pushes them once in the life of a demo. */
export async function pushFaulty(
  client: TidemarkClient,
  admin: TidemarkClient,
  seed: number,
  nowMs: number,
): Promise<void> {
  if ((await admin.ingest(ingestAlias)).counters.rejected > 0) return
  await client.push(ingestAlias, faultyRows(seed, nowMs), { format: 'ndjson' })
}
