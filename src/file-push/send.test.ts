import { expect, test } from 'vitest'
import { failureReport } from '../cli/push/report.ts'
import { halvesOf, type PushBatch } from '../client/push-batch.ts'
import { ConnectionError, ServiceError } from '../client/service-error.ts'
import { sendBatches } from './send.ts'

const broken = new ConnectionError('broke', { sent: true, cause: null })
const problem = (retryable: boolean, retryAfterS: number | null = null): ServiceError =>
  new ServiceError({ status: retryable ? 503 : 400, code: 'x', detail: 'full', errors: [], retryable, retryAfterS })

async function* batchesOf(count: number, failAfter?: Error): AsyncGenerator<PushBatch> {
  for (let index = 0; index < count; index++)
    yield { firstRow: index * 10 + 1, rows: 10, body: Buffer.from(''), texts: [] }
  if (failAfter !== undefined) throw failAfter
}

/** Sends ten rows per batch; each push takes a turn of the event loop, and those of the rows in `failing` fail. */
async function send(count: number, failing: readonly number[], concurrency: number, failAfter?: Error) {
  let inFlight = 0
  let most = 0
  const result = await sendBatches(batchesOf(count, failAfter), {
    concurrency,
    push: async ({ firstRow, rows }) => {
      most = Math.max(most, ++inFlight)
      await new Promise((resolve) => setImmediate(resolve))
      inFlight--
      if (failing.includes(firstRow)) throw problem(false)
      return { batch: `b${firstRow}`, rows }
    },
    halves: () => [],
    onAccepted: () => {},
  })
  return { most, ...result }
}

test.each([
  ['too_many_rows', 2, ['12', '3', '45', '6'], []],
  ['body_too_large', 1, ['1', '2', '3', '4', '5', '6'], []],
  ['invalid_body', 3, [], [[1, 6]]],
  ['too_many_rows', 0, [], [1, 2, 3, 4, 5, 6].map((row) => [row, row])],
])('after %s with at most %i rows accepted, sends pushes of %j', async (code, taken, pushes, failed) => {
  const texts = Array.from('123456', (row) => Buffer.from(row))
  const sent: string[] = []
  const result = await sendBatches<PushBatch>(
    (async function* () {
      yield { firstRow: 1, rows: texts.length, body: Buffer.from('123456'), texts }
    })(),
    {
      concurrency: 1,
      push: async ({ rows, texts: own }) => {
        const refusal = { status: 400, code, detail: '', errors: [], retryable: false, retryAfterS: null }
        if (rows > taken) throw new ServiceError(refusal)
        sent.push(Buffer.concat(own).toString())
        return { batch: '', rows }
      },
      halves: (batch) => halvesOf(batch, 'ndjson'),
      onAccepted: () => {},
    },
  )
  const places = result.failed.map(({ firstRow, lastRow }) => [firstRow, lastRow])
  expect([sent, places, result.acknowledgedRows]).toEqual([pushes, failed, pushes.join('').length])
})

test.each([1, 3])('sends with %i pushes in flight', async (concurrency) => {
  const { most, acknowledgedRows, failed, lastRow } = await send(7, [], concurrency)
  expect({ most, acknowledgedRows, failed, lastRow }).toEqual({
    most: concurrency,
    acknowledgedRows: 70,
    failed: [],
    lastRow: 70,
  })
})

test.each<[string, number, number[], number, Error | undefined, string | null]>([
  ['nothing if all rows are acknowledged', 3, [], 1, undefined, null],
  [
    'a failed batch',
    5,
    [21],
    1,
    undefined,
    'rows 21 to 30 were not acknowledged: full\nAll rows before row 21 are on disk, none after. Correct the fault and continue with --skip-rows 20.',
  ],
  [
    'a failed batch with others in flight',
    5,
    [11],
    3,
    undefined,
    'rows 11 to 20 were not acknowledged: full\nAll rows up to 40, except those named above, are on disk; nothing after them was sent.',
  ],
  [
    'a read error in the middle of the input',
    2,
    [],
    3,
    new Error('line 30: bad'),
    'the rest of the file was not read: line 30: bad\nAll rows before row 21 are on disk, none after. Correct the fault and continue with --skip-rows 20.',
  ],
])('reports %s', async (_, count, failing, concurrency, failAfter, report) => {
  expect(failureReport(await send(count, failing, concurrency, failAfter), 0, 'row')).toBe(report)
})

test.each([
  [0, 1, '.\nCheck which of the later ones are stored before you continue with --skip-rows 0'],
  [
    10,
    11,
    '.\nAll rows before row 11 are on disk. Check which of the later ones are stored before you continue with --skip-rows 10',
  ],
])('after %i rows a broken connection is reported as an unknown outcome', (acknowledgedRows, firstRow, report) => {
  const failed = [{ firstRow, lastRow: 15, error: broken }]
  const text = failureReport({ acknowledgedRows, failed, readError: undefined, lastRow: 15 }, 0, 'row')
  expect(text).toContain(`It is unknown whether they were stored${report}`)
  expect(text).toContain('would be stored twice, unless the ingest replaces')
})
