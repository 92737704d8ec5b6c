import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Problem } from '../model/problem.ts'
import type { ServiceEvent } from './event.ts'
import { combineSinks } from './event.ts'
import { type LogOptions, logSink } from './log.ts'
import { Metrics } from './metrics.ts'

const served = (ms: number, status = 200): ServiceEvent => ({
  kind: 'requestServed',
  id: 'r1',
  method: 'POST',
  route: '/ingests/:ingest/data',
  status,
  ms,
})
const failed = (error: unknown): ServiceEvent => ({
  kind: 'requestFailed',
  id: 'r1',
  method: 'GET',
  route: '/x',
  error,
})
const written: ServiceEvent = { kind: 'journalWritten', entries: 2, rows: 20, bytes: 300, ms: 2 }
const validated: ServiceEvent = { kind: 'rowsValidated', rows: 20, rejected: 3, again: 5, ingests: [], ms: 1 }
const died: ServiceEvent = { kind: 'storeDied', message: 'out of memory', restartInMs: 100 }
const sealed: ServiceEvent = { kind: 'sealed', position: 50, files: 2, rows: 40, bytes: 900, ms: 20 }
const sealFailed: ServiceEvent = { kind: 'sealFailed', message: 'no space', retryInMs: 5000 }
const merged: ServiceEvent = { kind: 'merged', entityId: 1, merged: 4, files: 1, rows: 30, bytes: 700, ms: 9 }
const replayed = (stored: number): ServiceEvent => ({ kind: 'rowsReplayed', ingestId: 1, rows: 2, stored })
const opened = (tornBytes: number): ServiceEvent => ({
  kind: 'journalOpened',
  segments: 1,
  entries: 0,
  bytes: 0,
  tornBytes,
  tornFile: null,
  ms: 1,
})

function logged(events: readonly ServiceEvent[], options: Partial<LogOptions> = {}): string {
  let text = ''
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  const sink = logSink({ level: 'info', format: 'json', slowMs: 1000, destination, ...options })
  for (const event of events) sink(event)
  return text
}

describe('the log', () => {
  test.each<[string, ServiceEvent, Partial<LogOptions>, object | null]>([
    ['a request', served(5), {}, null],
    ['a request at debug', served(5), { level: 'debug' }, { level: 20, route: '/ingests/:ingest/data', ms: 5 }],
    ['a duration with many decimals', served(1000.6087149), {}, { level: 30, ms: 1000.609 }],
    ['a slow request', served(1000), {}, { level: 30, msg: 'slow request', ms: 1000, status: 200 }],
    ['a write', written, {}, null],
    ['a failure', failed(new Error('no')), {}, { level: 50, id: 'r1', message: 'no', stack: expect.any(String) }],
    ['a problem', failed(new Problem('unavailable', 'Later.')), {}, { code: 'unavailable', message: 'Later.' }],
    ['a cause', failed(new Error('no', { cause: 'disk' })), {}, { cause: 'disk' }],
    ['a thrown string', failed('text'), {}, { message: 'text' }],
    ['the death of the store', died, {}, { level: 50, msg: 'store died', message: 'out of memory' }],
    ['a torn journal', opened(7), {}, { level: 40, tornBytes: 7 }],
    ['a complete journal', opened(0), {}, { level: 30, msg: 'journal opened' }],
    ['a seal', sealed, {}, { level: 30, msg: 'sealed', files: 2, rows: 40 }],
    ['a seal that failed', sealFailed, {}, { level: 50, msg: 'seal failed', message: 'no space' }],
    [
      'files left over from a crash',
      { kind: 'orphansRemoved', names: ['1/2.parquet'] },
      {},
      { level: 30, names: ['1/2.parquet'] },
    ],
    [
      'invalid keys of a minute',
      { kind: 'keyRefused', ip: '10.0.0.1', unreported: 7 },
      {},
      { level: 40, ip: '10.0.0.1', requests: 7 },
    ],
    ['a single invalid key', { kind: 'keyRefused', ip: '10.0.0.1', unreported: null }, {}, null],
    [
      'public reading',
      { kind: 'readingIsPublic', warning: 'Reading is public.' },
      {},
      { level: 40, warning: 'Reading is public.' },
    ],
    ['a start', { kind: 'serverListening', url: 'http://x' }, {}, { level: 30, url: 'http://x' }],
    [
      'a damaged file',
      { kind: 'fileDamaged', path: '/store/1/a.index', message: 'it is cut short' },
      {},
      { level: 50, msg: 'file damaged', path: '/store/1/a.index' },
    ],
    ['a replay', replayed(2), {}, { level: 30, msg: 'rows replayed', rows: 2, stored: 2 }],
    ['a replay that stored nothing', replayed(0), {}, null],
    [
      'a replay that stored nothing, at debug',
      replayed(0),
      { level: 'debug' },
      { level: 20, msg: 'rows replayed', stored: 0 },
    ],
    ['an event at level silent', died, { level: 'silent' }, null],
  ])('%s', (_name, event, options, expected) => {
    const text = logged([event], options)
    if (expected === null) expect(text).toBe('')
    else expect(JSON.parse(text)).toMatchObject(expected)
  })

  test('is one JSON object per line without a terminal', () => {
    const lines = logged([died, opened(0)], { format: 'auto' })
      .trimEnd()
      .split('\n')
    expect(lines.map((line) => Object.keys(JSON.parse(line)).slice(0, 2))).toEqual([
      ['level', 'time'],
      ['level', 'time'],
    ])
  })

  test('is readable text in the format pretty', () => {
    expect(logged([died], { format: 'pretty' })).toMatch(/ERROR.*store died\n\s+message: "out of memory"/)
  })
})

describe('metrics', () => {
  const lines = async (...events: ServiceEvent[]): Promise<string[]> => {
    const metrics = new Metrics({ processMetrics: false })
    for (const event of events) metrics.observe(event)
    return (await metrics.text()).split('\n')
  }

  test.each<[string, ServiceEvent[], string[]]>([
    [
      'requests',
      [served(2), served(3), served(4, 400)],
      [
        'tidemark_http_requests_total{route="/ingests/:ingest/data",status="200"} 2',
        'tidemark_http_requests_total{route="/ingests/:ingest/data",status="400"} 1',
        'tidemark_http_request_seconds_bucket{le="0.0025",route="/ingests/:ingest/data"} 1',
      ],
    ],
    ['failures', [failed('x')], ['tidemark_http_request_failures_total 1']],
    [
      'the journal',
      [written, written],
      [
        'tidemark_journal_written_bytes_total 600',
        'tidemark_journal_rows_total 40',
        'tidemark_journal_write_seconds_count 2',
      ],
    ],
    ['a journal failure', [{ kind: 'journalFailed', file: 'a', message: 'b' }], ['tidemark_journal_failed 1']],
    [
      'rows',
      [validated],
      ['tidemark_rows_validated_total 20', 'tidemark_rows_rejected_total 3', 'tidemark_rows_revalidated_total 5'],
    ],
    [
      'seals',
      [sealed, sealed],
      ['tidemark_sealed_rows_total 80', 'tidemark_sealed_position 50', 'tidemark_seal_seconds_count 2'],
    ],
    ['merges of files', [merged], ['tidemark_merged_rows_total 30', 'tidemark_merge_seconds_count 1']],
    [
      'failed background work',
      [
        sealFailed,
        { ...sealFailed, kind: 'validationFailed' },
        { ...sealFailed, kind: 'mergeFailed' },
        { ...sealFailed, kind: 'dropFailed' },
        { kind: 'journalTrimFailed', message: 'x' },
        { kind: 'removalFailed', name: 'x', message: 'x' },
      ],
      ['seal', 'validate', 'merge', 'drop', 'trim', 'remove'].map(
        (work) => `tidemark_storage_failures_total{work="${work}"} 1`,
      ),
    ],
    [
      'damaged files',
      [{ kind: 'fileDamaged', path: '/store/1/a.index', message: 'it is cut short' }],
      ['tidemark_damaged_files_met_total 1'],
    ],
    ['backups', [{ kind: 'backupMade', path: 'p', files: 1, bytes: 2, ms: 3 }], ['tidemark_backups_total 1']],
    [
      'queries',
      [{ kind: 'queryAnswered', query: 'select', rows: 7, bytes: 9, ms: 4 }],
      ['tidemark_query_rows_total{query="select"} 7', 'tidemark_query_seconds_count{query="select"} 1'],
    ],
    ['a store that is ready', [{ kind: 'storeStarted', validatedAgainRows: 0, ms: 1 }], ['tidemark_store_ready 1']],
    [
      'a store that died',
      [{ kind: 'storeStarted', validatedAgainRows: 0, ms: 1 }, died],
      ['tidemark_store_ready 0', 'tidemark_store_deaths_total 1'],
    ],
  ])('count %s', async (_name, events, expected) => {
    expect(await lines(...events)).toEqual(expect.arrayContaining(expected))
  })

  test('include those of the process when enabled', async () => {
    expect(await new Metrics({ processMetrics: true }).text()).toContain('process_cpu_seconds_total')
  })
})

test('combined sinks all receive each event', () => {
  const seen: string[] = []
  combineSinks(
    ({ kind }) => seen.push(`a ${kind}`),
    ({ kind }) => seen.push(`b ${kind}`),
  )(died)
  expect(seen).toEqual(['a storeDied', 'b storeDied'])
})
