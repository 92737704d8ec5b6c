import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../../test/support/code-point.ts'
import { InternedStrings, notWellFormed } from './interned-strings.ts'

function read(strings: InternedStrings, spelling: string): number {
  const codes = new Int32Array(1)
  const bytes = Buffer.from(`:"${spelling}"}`)
  const end = strings.read(bytes, 2, codes, 0)
  if (end === notWellFormed) return notWellFormed
  expect(end).toBe(bytes.length - 1)
  return codes[0]!
}

/** A string with some of its UTF-16 units escaped. */
function spell(text: string, escaped: readonly boolean[]): string {
  return text
    .split('')
    .map((unit, i) => {
      const code = unit.charCodeAt(0)
      const must = code < 0x20 || unit === '"' || unit === '\\'
      // A surrogate pair is escaped as a whole, because half of it is not valid UTF-8.
      const isHalf = code >= 0xd800 && code <= 0xdfff
      return must || isHalf || escaped[i % escaped.length] ? `\\u${code.toString(16).padStart(4, '0')}` : unit
    })
    .join('')
}

test('all spellings of a string have the same code, which never changes', () => {
  const spelling = fc.tuple(
    fc.string({ unit: codePoint, maxLength: 3 }),
    fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.array(spelling, { maxLength: 200 }), fc.integer(), (spellings, seed) => {
      const strings = new InternedStrings(seed)
      const codes = new Map<string, number>()
      for (const [text, escaped] of spellings) {
        const code = read(strings, spell(text, escaped))
        expect(strings.dictionary[code]).toBe(text)
        expect(code).toBe(codes.get(text) ?? codes.size)
        codes.set(text, code)
      }
      expect(strings.dictionary.length).toBe(codes.size)
    }),
  )
})

test('an escaped string equals its plain spelling, whatever the number of known strings', () => {
  for (let known = 0; known < 300; known++) {
    const strings = new InternedStrings(1)
    for (let i = 0; i < known; i++) read(strings, `tag.${i}`)
    expect(strings.dictionary[read(strings, 'S\\u00e3o')]).toBe('São')
    expect(strings.dictionary[read(strings, 'São')]).toBe('São')
  }
})

test('many strings keep their codes, read in their order or in reverse', () => {
  const strings = new InternedStrings(1)
  const tags = Array.from({ length: 5000 }, (_, i) => `${'tag'.repeat(i % 5)}.${i}`)
  const codes = tags.map((_, i) => i)
  expect(tags.map((tag) => read(strings, tag))).toEqual(codes)
  expect(tags.map((tag) => read(strings, tag))).toEqual(codes)
  expect(tags.toReversed().map((tag) => read(strings, tag))).toEqual(codes.toReversed())
  expect(strings.size).toBe(5000)
  expect(strings.dictionary).toEqual(tags)
})

test.each(['\\ud800', '\\udc00\\ud800', 'a\\ud83d', '\\ud83dx\\ude00'])(
  'refuses half a surrogate pair: %s',
  (spelling) => {
    const strings = new InternedStrings(1)
    expect(read(strings, spelling)).toBe(notWellFormed)
    expect(strings.dictionary).toEqual([])
  },
)

test('a string has the same code in JSON and as the value of a tag', () => {
  const values = [
    ['area\\ 7', 'area 7'],
    ['a\\,b\\=c', 'a,b=c'],
    ['\\ ', ' '],
  ] as const
  const readTag = (strings: InternedStrings, value: string): number => {
    const codes = new Int32Array(1)
    strings.readTagValue(Buffer.from(value), 0, Buffer.byteLength(value), codes, 0)
    return codes[0]!
  }
  for (const known of [0, 31, 32, 200]) {
    const strings = new InternedStrings(1)
    for (let i = 0; i < known; i++) read(strings, `tag.${i}`)
    for (const [value, text] of values) {
      const code = readTag(strings, value)
      expect(strings.dictionary[code]).toBe(text)
      expect([read(strings, text), readTag(strings, value)]).toEqual([code, code])
    }
  }
})
