import { afterEach, expect, test } from 'vitest'
import { type Answers, closeServices, service, tidemark } from '../../../test/support/cli.ts'
import { defaultSeriesFields } from '../../model/field.ts'

afterEach(closeServices)

const rowsIn = (body: string): readonly string[] => body.trimEnd().split('\n')
const faultOf = (row: string, index: number) =>
  row === 'bad' ? [{ index, field: 'V', code: 'wrong_type', message: 'V: no number' }] : []

/** Accepts at most 500 rows per check; rejects rows that are `bad`. */
const checking: Answers = {
  'POST /ingests/plant/check': (body) => {
    const rows = rowsIn(body)
    if (rows.length > 500) return [400, { code: 'too_many_rows', detail: 'too many', retryable: false }]
    const errors = rows.flatMap(faultOf)
    return [200, { rows: rows.length, stored: rows.length - errors.length, rejected: errors.length, errors }]
  },
}
const dryRun = ['push', 'plant', '-', '--format', 'ndjson', '--dry-run']
const file = (rows: number, bad: readonly number[]): string =>
  Array.from({ length: rows }, (_, index) => (bad.includes(index + 1) ? 'bad\n' : '{}\n')).join('')

test('a dry run checks the complete file in pieces that the service accepts, and pushes nothing', async () => {
  const { url, seen } = await service(checking)
  const { code, out, err } = await tidemark(url, dryRun, file(2100, [3, 1400, 2099]))
  expect(`${out}${err}`).toMatchInlineSnapshot(`
    "checked            2,100
    would be stored    2,097
    would be rejected      3
    faults: 3 wrong_type in V
    row 3: V: no number (wrong_type)
    row 1400: V: no number (wrong_type)
    row 2099: V: no number (wrong_type)
    Nothing was stored.
    "
  `)
  expect(code).toBe(2)
  expect(seen.filter((one) => !/^(POST \/ingests\/plant\/check|GET )/.test(one))).toEqual([])
})

test('a dry run exits with 0 if no row would be rejected, and fails if the service refuses the check', async () => {
  const { url } = await service(checking)
  expect((await tidemark(url, dryRun, file(2, []))).code).toBe(0)
  const refusing = await service({})
  const { code, err } = await tidemark(refusing.url, dryRun, file(2, []))
  expect([code, err]).toEqual([1, expect.stringContaining('rows 1 to 2 were not checked: Not without a key.')])
})

test('a dry run continues after unreadable lines, and prints the same hints as a push', async () => {
  const answers: Answers = {
    'GET /ingests/plant': () => [200, { alias: 'plant', fields: defaultSeriesFields }],
    'POST /ingests/plant/check': (body) => {
      const errors = rowsIn(body).flatMap((row, index) => {
        const [code, message] =
          row === 'null' ? ['not_an_object', 'no object'] : ['wrong_type', 'V: expected a number, got "1,5"']
        return row === 'null' || row.includes('"1,5"') ? [{ index, field: 'V', code, message }] : []
      })
      const rows = rowsIn(body).length
      return [200, { rows, stored: rows - errors.length, rejected: errors.length, errors }]
    },
  }
  const { url } = await service(answers)
  const csv =
    'D;T;V\n2026-10-25 01:30;a;1\n2026-10-25 02:30;a;2\n2026-10-25 03:30;a\n2026-10-25 04:30;a;1,5\n2026-10-25 02:31;a;2\n'
  const options = ['--delimiter', ';', '--time-zone', 'Europe/Madrid', '--dry-run', '--batch-rows', '2']
  const argv = ['push', 'plant', '-', '--format', 'csv', ...options]
  const { code, out } = await tidemark(url, argv, csv)
  expect(code).toBe(1)
  expect(out.replaceAll(/, whose clocks.*$/gm, ' ...')).toMatchInlineSnapshot(`
    "checked            5
    would be stored    1
    would be rejected  1
    cannot be read     3
    row 4: V: expected a number, got "1,5" (wrong_type)
    For numbers like "1,5" use --decimal comma.
    line 3: in "D", "2026-10-25 02:30" occurs twice in Europe/Madrid ...
    line 4: there are 2 cells, and the header has 3 columns
    line 6: in "D", "2026-10-25 02:31" occurs twice in Europe/Madrid ...
    A push ends at the first line that cannot be read.
    Choose with --ambiguous earlier or --ambiguous later.
    Nothing was stored.
    "
  `)
  const json = await tidemark(url, [...argv, '--json'], csv)
  expect(JSON.parse(json.out)).toMatchObject({ checked: 5, stored: 1, rejected: 1, unreadable: 3 })
})

test('--dry-run and --stop-after exclude each other', async () => {
  const { url, seen } = await service(checking)
  const { code, err } = await tidemark(url, [...dryRun, '--stop-after', '1'], file(2, []))
  expect([code, seen]).toEqual([64, []])
  expect(err).toContain('so --stop-after has no effect. Give one of them.')
})

test('--stop-after ends a push after that many rejected rows, and prints how to continue', async () => {
  let batches = 0
  const answers: Answers = {
    'POST /ingests/plant/data': (body) => {
      const [batch, rows] = [`b${batches++}`, rowsIn(body)]
      const errors = rows.flatMap(faultOf)
      const counts = {
        rows: rows.length,
        stored: rows.length - errors.length,
        rejected: errors.length,
        pending: 0,
        replaced: 0,
      }
      answers[`GET /ingests/plant/batches/${batch}`] = () => [200, { batch, ...counts, errors }]
      return [200, { batch, rows: rows.length }]
    },
  }
  const { url } = await service(answers)
  const options = ['--stop-after', '2', '--batch-rows', '10', '--concurrency', '1']
  const { code, out, err } = await tidemark(
    url,
    ['push', 'plant', '-', '--format', 'ndjson', ...options],
    file(500, [3, 4]),
  )
  expect(out).toContain('received  10\nstored     8\nrejected   2\n')
  expect(err).toContain('Rows up to 10 were sent and are on disk, nothing after them. To continue: --skip-rows 10.')
  expect(code).toBe(2)
})

/** Validates the first push of ten rows; refuses or withholds the receipts of the other pushes. */
function silent(receipt: (batch: string) => [number, unknown]): Answers {
  let batches = 0
  const answers: Answers = {
    'POST /ingests/plant/data': (body) => {
      const [batch, rows] = [`b${batches++}`, rowsIn(body).length]
      const validated = { batch, rows, stored: rows, rejected: 0, pending: 0, replaced: 0, errors: [] }
      answers[`GET /ingests/plant/batches/${batch}`] = () => (batch === 'b0' ? [200, validated] : receipt(batch))
      return [200, { batch, rows }]
    },
  }
  return answers
}
const gone = (): [number, unknown] => [
  404,
  { code: 'batch_not_found', detail: 'There is no batch b1.', retryable: false },
]
const inTens = ['push', 'plant', '-', '--format', 'ndjson', '--batch-rows', '10', '--concurrency', '1']

test('--stop-after ends a push when a receipt is refused, and prints the counts and how to continue', async () => {
  const { url } = await service(silent(gone))
  const { code, out, err } = await tidemark(url, [...inTens, '--stop-after', '1'], file(500, []))
  expect(out).toContain('received  20\nstored    10\nrejected   0\npending   10\n')
  expect(err).toBe(
    'tidemark: The outcome of 10 rows, which are on disk, is unknown: There is no batch b1.\n' +
      'tidemark: Stopped: the outcome of the rows is unknown (--stop-after). ' +
      'Rows up to 20 were sent and are on disk, nothing after them. To continue: --skip-rows 20.\n',
  )
  expect(code).toBe(1)
})

test('without --stop-after, a refused receipt does not hide the acknowledged rows', async () => {
  const { url } = await service(silent(gone))
  const { code, out, err } = await tidemark(url, [...inTens, '--json'], file(50, []))
  expect(JSON.parse(out)).toMatchObject({ received: 50, stored: 10, rejected: 0, pending: 40 })
  expect(err).toBe('tidemark: The outcome of 40 rows, which are on disk, is unknown: There is no batch b1.\n')
  expect(code).toBe(1)
})

test('--stop-after does not end a push that is sent in halves', async () => {
  const answers = silent((batch) => [
    200,
    { batch, rows: 5, stored: 5, rejected: 0, pending: 0, replaced: 0, errors: [] },
  ])
  const take = answers['POST /ingests/plant/data']!
  const tooMany: [number, unknown] = [400, { code: 'too_many_rows', detail: 'too many', retryable: false }]
  answers['POST /ingests/plant/data'] = (body) => (rowsIn(body).length > 5 ? tooMany : take(body))
  const { url } = await service(answers)
  const { code, out } = await tidemark(url, [...inTens, '--stop-after', '1'], file(100, []))
  expect([code, out]).toEqual([0, expect.stringContaining('stored    100')])
})

test('reports all faults of a row together', async () => {
  const [code, message] = ['wrong_type', 'V: no number']
  const further = [{ code: 'missing_tag', field: 'T', message: 'T: the tag is missing' }]
  const errors = [{ index: 0, field: 'V', code, message, further }]
  const { url } = await service({
    'POST /ingests/plant/check': () => [200, { rows: 1, stored: 0, rejected: 1, errors }],
  })
  const { out } = await tidemark(url, dryRun, '{}\n')
  expect(out).toContain('row 1: V: no number (wrong_type); T: the tag is missing (missing_tag)\n')
})
