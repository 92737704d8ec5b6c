import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonElements, jsonLines } from './json-elements.ts'

async function* pieces(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  let at = 0
  for (let index = 0; at < bytes.length; index++) {
    const end = at + (sizes[index % sizes.length] ?? 1)
    yield bytes.subarray(at, end)
    at = end
  }
}

async function collected(texts: AsyncIterable<string>): Promise<unknown[]> {
  const elements: unknown[] = []
  for await (const text of texts) {
    const part: unknown = JSON.parse(text)
    if (Array.isArray(part)) elements.push(...part)
  }
  return elements
}

const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 })

describe('a JSON array in chunks', () => {
  test('yields its elements, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), sizes, async (values, cuts) => {
        const text = JSON.stringify(values)
        expect(await collected(jsonElements(pieces(text, cuts)))).toEqual(JSON.parse(text))
      }),
    )
  })

  test('is an error if it is truncated', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { minLength: 1 }), sizes, fc.nat(), async (values, cuts, at) => {
        const text = JSON.stringify(values)
        const cut = Buffer.from(text)
          .subarray(0, at % (Buffer.byteLength(text) - 1))
          .toString('latin1')
        await expect(collected(jsonElements(pieces(cut, cuts)))).rejects.toThrow('The answer of Druid is incomplete')
      }),
    )
  })
})

describe('JSON lines in chunks', () => {
  test('yield their values, wherever they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.jsonValue())), sizes, async (rows, cuts) => {
        const text = `${rows.map((row) => `${JSON.stringify(row)}\n`).join('')}\n`
        expect(await collected(jsonLines(pieces(text, cuts)))).toEqual(JSON.parse(JSON.stringify(rows)))
      }),
    )
  })

  test.each(['', '[1]\n', '[1]\n[2', '[1]\n[2]'])('%j is refused as incomplete', async (text) => {
    await expect(collected(jsonLines(pieces(text, [3])))).rejects.toThrow('The answer of Druid is incomplete')
  })
})
