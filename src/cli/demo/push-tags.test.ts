import { expect, test } from 'vitest'
import { instrumentsOf } from './plant.ts'
import { pushTags, tagFields, tagsAlias } from './push-tags.ts'

test('there is an item for each instrument, of all its fields and no others', async () => {
  const pushed: string[] = []
  const push = async (ingest: string, body: string | Uint8Array) => {
    expect(ingest).toBe(tagsAlias)
    pushed.push(body.toString())
    return { batch: 'b', rows: 1 }
  }
  await pushTags({ push }, 7)
  const items: Record<string, unknown>[] = JSON.parse(pushed.join())
  expect(items.map(({ tag }) => tag)).toEqual(instrumentsOf(7).map(({ tag }) => tag))
  const names = tagFields.map(({ name }) => name)
  for (const item of items) expect(Object.keys(item)).toEqual(names)
})
