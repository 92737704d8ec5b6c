// Sample data for trying out the service: four tags of a small plant over the last day, with metadata.
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { msPerDay } from '../../../../src/model/instant.ts'
import { clientFor } from '../../session/session.ts'

export const sampleName = 'sample'
const tableName = 'sample_tags'
const stepMs = 60_000
const rowsInPush = 2000

const tags = [
  { tag: 'boiler.temperature', description: 'Boiler, temperature', unit: '°C', mean: 82, swing: 6, minutes: 240 },
  { tag: 'boiler.pressure', description: 'Boiler, pressure', unit: 'bar', mean: 3.1, swing: 0.4, minutes: 90 },
  { tag: 'pump.flow', description: 'Pump, flow', unit: 'l/min', mean: 120, swing: 30, minutes: 35 },
  { tag: 'hall.power', description: 'Hall, electric power', unit: 'kW', mean: 45, swing: 25, minutes: 720 },
] as const

export function sampleRows(nowMs: number): readonly object[] {
  const endMs = Math.floor(nowMs / stepMs) * stepMs
  return Array.from({ length: msPerDay / stepMs }, (_, minute) => {
    const ms = endMs - msPerDay + (minute + 1) * stepMs
    return tags.map(({ tag, mean, swing, minutes }) => {
      const wave = Math.sin((2 * Math.PI * ms) / (minutes * stepMs)) + 0.2 * Math.sin(ms / (1.7 * stepMs))
      return { D: new Date(ms).toISOString(), T: tag, V: Number((mean + swing * wave).toFixed(3)) }
    })
  }).flat()
}

/** Creates two ingests and pushes to them. An admin key cannot push, so a temporary subscriber does; it is deleted afterwards. */
export async function pushSample(operator: TidemarkClient, nowMs: number): Promise<void> {
  const field = (name: string, role: 'index' | 'attribute') => ({ name, source: name, type: 'string', role }) as const
  await operator.createIngest({ alias: sampleName, kind: 'series' })
  const fields = [field('tag', 'index'), field('description', 'attribute'), field('unit', 'attribute')]
  await operator.createIngest({ alias: tableName, kind: 'metadata', fields })
  await operator.createSubscriber(sampleName)
  try {
    await operator.putSubscriptions(sampleName, [{ ingest: sampleName }, { ingest: tableName }])
    const { key } = await operator.createKey(sampleName, { rights: ['ingest'] })
    const pusher = clientFor(key)
    await pusher.push(
      tableName,
      tags.map(({ tag, description, unit }) => ({ tag, description, unit })),
      { wait: true },
    )
    const rows = sampleRows(nowMs)
    for (let from = 0; from < rows.length; from += rowsInPush)
      await pusher.push(sampleName, rows.slice(from, from + rowsInPush), { wait: true })
  } finally {
    await operator.deleteSubscriber(sampleName)
  }
}
