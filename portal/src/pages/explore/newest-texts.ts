import type { TidemarkClient } from '../../../../src/client/client.ts'
import { durationText, valueText } from '../../parts/formats.ts'

interface Asked {
  readonly entity: string
  /** The tag field; empty means the entity's first. */
  readonly by: string
  readonly tags: readonly string[]
}

/** The newest value of each tag with its age, from the first metric that has a value. */
export async function newestTexts(
  client: Pick<TidemarkClient, 'query'>,
  { entity, by, tags }: Asked,
  nowMs = Date.now(),
): Promise<ReadonlyMap<string, string>> {
  const rows = await client.query('latest', { entity, ids: tags, ...(by !== '' && { id_name_field: by }) })
  const wanted = new Set(tags)
  const texts = new Map<string, string>()
  for (const row of rows) {
    const [time, ...values] = Object.values(row)
    const tag = values.find((value) => typeof value === 'string' && wanted.has(value))
    const value = values.find((one) => typeof one === 'number' || typeof one === 'boolean')
    if (typeof tag !== 'string' || value === undefined) continue
    const seconds = Math.round((nowMs - Date.parse(String(time))) / 1000)
    const age = seconds < 0 ? 'in the future' : `${durationText(seconds)} ago`
    texts.set(tag, `${typeof value === 'number' ? valueText(value) : value}, ${age}`)
  }
  return texts
}
