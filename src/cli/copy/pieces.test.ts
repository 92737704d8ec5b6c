import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copyPiecesOf, halvesOfPiece, type Piece, renamed } from './pieces.ts'

const line = (date: string, tag: string, value: string): Buffer =>
  Buffer.from(`{"D":"${date}T00:00:00.000Z","T":"${tag}","V":${value}}`)

const rules = {
  identity: () => ['http://old', 'plant'],
  timeField: 'D',
  sources: new Map([['D', 'D']]),
  rowsMax: 2,
  bytesMax: 10_000,
}

async function* given(windows: readonly (readonly Uint8Array[])[]) {
  yield* windows
}

async function cut(windows: readonly (readonly Uint8Array[])[], changes: Partial<typeof rules> = {}): Promise<Piece[]> {
  const pieces: Piece[] = []
  for await (const piece of copyPiecesOf(given(windows), { ...rules, ...changes })) pieces.push(piece)
  return pieces
}

describe('renamed', () => {
  test.each([
    ['{"date":"2026","v":9007199254740993}', '{"D":"2026","a\\"b":9007199254740993}'],
    ['{"date":"a,\\"}","v":null}', '{"D":"a,\\"}","a\\"b":null}'],
    ['{"other":{"date":[1e2,true]}}', '{"other":{"date":[1e2,true]}}'],
  ])('%s', (row, expected) => {
    const sources = new Map([
      ['date', 'D'],
      ['v', 'a"b'],
    ])
    expect(Buffer.from(renamed(Buffer.from(row), sources)).toString()).toBe(expected)
  })
})

test('halves of a piece cover its rows and have distinct, reproducible keys', async () => {
  const [piece] = await cut([['1', '2', '3'].map((value) => line('2026-01-01', 'a', value))], { rowsMax: 3 })
  const halves = halvesOfPiece(piece!)
  expect(halves.map(({ firstRow, rows }) => [firstRow, rows])).toEqual([
    [1, 2],
    [3, 1],
  ])
  expect(Buffer.concat(halves.map(({ body }) => body))).toEqual(piece!.body)
  expect(new Set([piece!, ...halves].map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3)
  expect(halvesOfPiece(piece!)).toEqual(halves)
})

describe('piecesOf', () => {
  const rowsIn = async (lines: readonly Uint8Array[], changes?: Partial<typeof rules>) =>
    (await cut([lines], changes)).map(({ firstRow, rows }) => [firstRow, rows])

  test.each([
    [
      'by rows',
      [line('2026-01-01', 'a', '1'), line('2026-01-01', 'b', '1'), line('2026-01-01', 'c', '1')],
      {},
      [
        [1, 2],
        [3, 1],
      ],
    ],
    [
      'by days',
      [line('2026-01-01', 'a', '1'), line('2026-01-02', 'a', '1')],
      {},
      [
        [1, 1],
        [2, 1],
      ],
    ],
    [
      'by bytes',
      [line('2026-01-01', 'a', '1'), line('2026-01-01', 'b', '1')],
      { bytesMax: 60 },
      [
        [1, 1],
        [2, 1],
      ],
    ],
    [
      'only between rows of different dates or tags',
      [1, 2, 3, 4].map((value) => line('2026-01-01', 'a', `${value}`)),
      {},
      [[1, 4]],
    ],
    [
      'within rows of one date and tag if they are far too large',
      [1, 2, 3].map((value) => line('2026-01-01', 'a', `${value}`)),
      { bytesMax: 50 },
      [
        [1, 2],
        [3, 1],
      ],
    ],
    ['nothing without rows', [], {}, []],
  ])('cuts %s', async (_name, lines, changes, expected) => {
    expect(await rowsIn(lines, changes)).toEqual(expected)
  })

  test('throws for a row that does not begin with its date', async () => {
    await expect(cut([[Buffer.from('{"T":"a"}')]])).rejects.toThrow('does not begin with its date')
  })

  test('keys depend on the source, the entity, the day and the position within it', async () => {
    const days = [
      ['2026-01-01', 'a'],
      ['2026-01-01', 'b'],
      ['2026-01-01', 'c'],
      ['2026-01-02', 'a'],
    ] as const
    const lines = days.map(([day, tag]) => line(day, tag, '1'))
    const keys = (await cut([lines])).map(({ idempotencyKey }) => idempotencyKey)
    const others = (await cut([lines], { identity: () => ['http://old', 'other'] })).map(
      (piece) => piece.idempotencyKey,
    )
    expect(new Set([...keys, ...others]).size).toBe(6)
    expect((await cut([lines.slice(3)]))[0]?.idempotencyKey).toBe(keys[2])
  })

  test('returns the same pieces for any windows in which the rows were read', async () => {
    const rows = fc
      .array(fc.tuple(fc.integer({ min: 10, max: 13 }), fc.integer({ min: 0, max: 3 })), { maxLength: 30 })
      .map((all) =>
        all.sort(([a, b], [c, d]) => a - c || b - d).map(([day, tag]) => line(`2026-01-${day}`, `${tag}`, '1')),
      )
    await fc.assert(
      fc.asyncProperty(rows, fc.array(fc.nat(10), { maxLength: 30 }), async (lines, lengths) => {
        const windows: Uint8Array[][] = []
        let at = 0
        for (const length of lengths) {
          windows.push(lines.slice(at, at + length))
          at += length
        }
        windows.push(lines.slice(at))
        expect(await cut(windows)).toEqual(await cut([lines]))
      }),
    )
  })
})
