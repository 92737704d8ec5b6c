import { expect, test } from 'vitest'
import { type PushedBody, pushedBody, rowTexts } from './row-text.ts'

/** A row whose V is the row itself. */
function cyclic(): object {
  const row: Record<string, unknown> = {}
  row['V'] = row
  return row
}

test('rows are written as by JSON.stringify', () => {
  const shared = { V: 1 }
  const rows = [
    { D: new Date(0), V: 1.5, X: undefined },
    { V: null, o: { a: [1, 'x', true] } },
    { toJSON: () => ({ V: 1 }) },
    { a: shared, b: shared },
    Object.create(null),
  ]
  expect(rowTexts(rows)).toEqual(rows.map((row) => JSON.stringify(row)))
})

test.each<[unknown, string]>([
  [{ V: Number.POSITIVE_INFINITY }, 'V is Infinity, which JSON cannot hold'],
  [{ V: Number.NaN }, 'V is NaN'],
  [{ o: { a: [1, Number.NaN] } }, 'o.a.1 is NaN'],
  [{ D: new Date(Number.NaN) }, 'D is not a valid date'],
  [{ V: 1n }, 'V is a bigint; give the row as JSON text to writeTexts'],
  [{ V: () => 1 }, 'V is a function'],
  [undefined, 'it is undefined and not an object'],
  [null, 'it is null and not an object'],
  [[{ V: 1 }], 'it is an array and not an object'],
  ['{"V":1}', 'and not an object'],
  [{ toJSON: () => undefined }, 'its toJSON returns nothing'],
  [cyclic(), 'V is an object that contains itself'],
  [{ a: { b: cyclic() } }, 'a.b.V is an object that contains itself'],
  [new Map([['V', 1]]), 'it is a Map, which JSON cannot write'],
  [{ V: new Set([1]) }, 'V is a Set, which JSON cannot write'],
  [Promise.resolve({ V: 1 }), 'it is a Promise, which JSON cannot write'],
  [new ArrayBuffer(8), 'it is an ArrayBuffer, which JSON cannot write'],
  [new Float64Array(2), 'it is a Float64Array and not an object'],
])('%o is refused because JSON would alter it', (row, fault) => {
  expect(() => rowTexts([{ V: 1 }, row as object])).toThrow('Row 2 of 2 cannot be written: ')
  expect(() => rowTexts([row as object])).toThrow(fault)
})

test('bytes are sent unchanged from any kind of buffer', () => {
  const bytes = Buffer.from('[{"V":1}]')
  const buffer = new Uint8Array(bytes).buffer
  const within = new Uint8Array(Buffer.from(`..${bytes}..`)).buffer
  const bodies: readonly unknown[] = [bytes, buffer, new Uint8Array(buffer), new DataView(within, 2, bytes.length)]
  for (const body of bodies) expect(Buffer.from(pushedBody(body as PushedBody, 'json').body)).toEqual(bytes)
})
