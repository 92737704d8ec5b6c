import { describe, expect, test, vi } from 'vitest'
import type { WriterClock } from './clock.ts'
import { ConnectionError, ServiceError } from './service-error.ts'
import { Tidemark } from './tidemark.ts'
import type { BatchOutcome, IngestWriterOptions } from './writer-options.ts'

/** Time that advances only when a test says so. */
class TestClock implements WriterClock {
  #nowMs = 0
  readonly #timers = new Map<object, { atMs: number; run: () => void }>()

  nowMs(): number {
    return this.#nowMs
  }

  after(ms: number, run: () => void): () => void {
    const id = {}
    this.#timers.set(id, { atMs: this.#nowMs + ms, run })
    return () => this.#timers.delete(id)
  }

  /** Runs the timers that become due, including those set meanwhile. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    for (;;) {
      await settled()
      const [id, next] = [...this.#timers].sort(([, a], [, b]) => a.atMs - b.atMs)[0] ?? []
      if (id === undefined || next === undefined || next.atMs > endMs) break
      this.#nowMs = next.atMs
      this.#timers.delete(id)
      next.run()
    }
    this.#nowMs = endMs
    await settled()
  }
}

/** Resolves when pending work has advanced as far as it can without the passing of time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

interface Sent {
  readonly key: string
  readonly rows: readonly unknown[]
  readonly path: string
  readonly atMs: number
}

/** Network responses: a status, with or without a body, or the way in which the connection ends. */
type Reply = number | { status: number; body: object; retryAfter?: number } | 'refused' | 'broken' | 'silent'

const refusal = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
})
const breakage = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error(), { code: 'ECONNRESET' }),
})

function bodyOf(status: number, rows: number): object {
  if (status === 200) return { batch: 'b', rows }
  const code = status === 503 ? 'overloaded' : 'forbidden'
  return { code, status, detail: 'No.', title: 'x', type: 'y', retryable: status === 503 }
}

function world(replies: Reply[], options: IngestWriterOptions = {}) {
  const clock = new TestClock()
  const sent: Sent[] = []
  const reported: BatchOutcome[] = []
  const network: typeof fetch = async (input, init) => {
    const rows = JSON.parse(new TextDecoder().decode(init?.body as Uint8Array))
    const key = new Headers(init?.headers).get('idempotency-key') ?? ''
    sent.push({ key, rows, path: String(input), atMs: clock.nowMs() })
    const reply = replies.shift() ?? 200
    if (reply === 'refused') throw refusal
    if (reply === 'broken') throw breakage
    if (reply === 'silent') {
      return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    }
    const { status, body, retryAfter } =
      typeof reply === 'number'
        ? ({ status: reply, body: bodyOf(reply, rows.length) } as { status: number; body: object; retryAfter?: number })
        : reply
    const type = { 'content-type': status === 200 ? 'application/json' : 'application/problem+json' }
    const headers = retryAfter === undefined ? type : { ...type, 'retry-after': String(retryAfter) }
    return new Response(JSON.stringify(body), { status, headers })
  }
  const tidemark = new Tidemark({ url: 'http://service', key: 'k', fetch: network })
  const onBatch = (outcome: BatchOutcome): void => {
    reported.push(outcome)
  }
  const quiet = { onRetry: () => undefined }
  const writer = tidemark.writer('plant', { clock, random: () => 0, id: 'w', onBatch, ...quiet, ...options })
  return { clock, sent, reported, writer }
}

const row = (V: number) => ({ V })
const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => row(from + index))
const lengths = (sent: readonly Sent[]): number[] => sent.map(({ rows: { length } }) => length)

describe('gathers rows into batches', () => {
  test('up to maxBatchRows', async () => {
    const { clock, sent, writer } = world([], { maxBatchRows: 2 })
    await writer.write(...rows(1, 5))
    await clock.pass(0)
    expect(sent.map((one) => one.rows)).toEqual([rows(1, 2), rows(3, 4)])
    expect(await writer.close()).toEqual({ rows: 5, acknowledged: 5, failed: 0 })
    expect(sent.at(-1)).toMatchObject({ key: 'w-5-1', rows: rows(5, 5), path: 'http://service/ingests/plant/data' })
  })

  test('up to maxBatchBytes; a larger row is sent alone', async () => {
    const { sent, writer } = world([], { maxBatchBytes: 20 })
    await writer.write(row(1), row(2), row(3), { V: 'x'.repeat(50) }, row(4))
    await writer.close()
    expect(lengths(sent)).toEqual([2, 1, 1, 1])
  })

  test('for flushIntervalMs', async () => {
    const { clock, sent, writer } = world([], { flushIntervalMs: 500 })
    await writer.write(row(1))
    await clock.pass(400)
    await writer.write(row(2))
    expect(sent).toEqual([])
    await clock.pass(100)
    expect(sent.map((one) => [one.atMs, one.rows])).toEqual([[500, rows(1, 2)]])
  })

  test('until it is flushed', async () => {
    const { sent, writer } = world([])
    await writer.write(row(1))
    await writer.flush()
    expect(lengths(sent)).toEqual([1])
  })

  test('as they are written, with every digit', async () => {
    const { reported, writer } = world([403])
    await writer.writeTexts(['{"V":9007199254740993}'])
    await writer.close()
    expect(reported).toMatchObject([{ state: 'failed', texts: ['{"V":9007199254740993}'] }])
  })
})

describe('bounds its buffer and its pushes in flight', () => {
  test('a write waits for buffer space, and rows keep their order', async () => {
    const { clock, sent, writer } = world(['refused'], { maxBufferedBytes: 14, maxBatchRows: 10 })
    const through: number[] = []
    const first = writer.write(...rows(1, 5)).then(() => through.push(1))
    const second = writer.write(row(6)).then(() => through.push(2))
    await clock.pass(0)
    expect([through, writer.bufferedBytes, lengths(sent)]).toEqual([[], 14, [2]])
    await clock.pass(250)
    await Promise.all([first, second])
    expect(through).toEqual([1, 2])
    expect(writer.bufferedBytes).toBeLessThanOrEqual(14)
    await writer.close()
    expect(sent.slice(1).flatMap((one) => one.rows)).toEqual(rows(1, 6))
  })

  test('flush waits for rows that do not fit the buffer yet', async () => {
    const { sent, writer } = world([], { maxBufferedBytes: 7 })
    const written = writer.write(...rows(1, 4))
    await writer.flush()
    await written
    expect(sent.flatMap((one) => one.rows)).toEqual(rows(1, 4))
  })

  test('at most maxConcurrentPushes pushes are in flight', async () => {
    const { clock, sent, writer } = world(['silent', 'silent'], { maxBatchRows: 1, maxConcurrentPushes: 2 })
    await writer.write(...rows(1, 5))
    await clock.pass(0)
    expect(sent.length).toBe(2)
  })
})

describe('retries with the same key', () => {
  test.each<[string, Reply[], number[]]>([
    ['after a refused connection', ['refused'], [0, 250]],
    ['after a broken connection', ['broken', 'broken'], [0, 250, 750]],
    ['after a 503', [503, 503, 503], [0, 250, 750, 1750]],
    ['no earlier than the service asks for', [{ status: 503, body: bodyOf(503, 0), retryAfter: 7 }], [0, 7000]],
    ['after a 502 from a gateway', [{ status: 502, body: {} }], [0, 250]],
    ...[502, 503, 504].map((status): [string, Reply[], number[]] => [
      `after a gateway said ${status} in JSON of its own`,
      [
        { status, body: { code: 'BadGateway', message: 'No upstream.' } },
        { status, body: { code: 'BadGateway', detail: 'No upstream.' } },
      ],
      [0, 250, 750],
    ]),
    ['after a 429 from a gateway', [{ status: 429, body: { message: 'Slow down.' } }], [0, 250]],
    ['after a push without an answer', ['silent'], [0, 1250]],
  ])('%s', async (_, replies, times) => {
    const { clock, sent, reported, writer } = world(replies, { pushTimeoutMs: 1000 })
    await writer.write(row(1))
    const closed = writer.close()
    await clock.pass(20_000)
    expect(sent.map(({ atMs }) => atMs)).toEqual(times)
    expect(new Set(sent.map(({ key }) => key))).toEqual(new Set(['w-1-1']))
    expect(await closed).toEqual({ rows: 1, acknowledged: 1, failed: 0 })
    expect(reported).toEqual([
      {
        state: 'acknowledged',
        firstRow: 1,
        rows: 1,
        idempotencyKey: 'w-1-1',
        attempts: times.length,
        answer: { batch: 'b', rows: 1 },
      },
    ])
  })

  test('with increasing waits, until retryMs has passed', async () => {
    const { clock, sent, reported, writer } = world(Array(99).fill('refused'), { retryMs: 30_000 })
    await writer.write(row(1))
    const flushed = writer.flush()
    await clock.pass(60_000)
    await flushed
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 250, 750, 1750, 3750, 7750, 15_750, 25_750])
    expect(reported).toMatchObject([{ state: 'failed', error: { name: 'ConnectionError', sent: false } }])
  })

  test('with the configured waits and number of retries', async () => {
    const options = { maxRetries: 3, firstRetryWaitMs: 1000, maxRetryWaitMs: 1500 }
    const { clock, sent, reported, writer } = world(Array(99).fill('refused'), options)
    await writer.write(row(1))
    const flushed = writer.flush()
    await clock.pass(60_000)
    await flushed
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 1000, 2500, 4000])
    expect(reported).toMatchObject([{ state: 'failed', attempts: 4, error: { name: 'ConnectionError' } }])
  })

  test('no earlier than the service asks for, however short the configured waits', async () => {
    const busy: Reply = { status: 503, body: bodyOf(503, 1), retryAfter: 5 }
    const { clock, sent, writer } = world([busy], { firstRetryWaitMs: 1, maxRetryWaitMs: 1 })
    await writer.write(row(1))
    const flushed = writer.flush()
    await clock.pass(60_000)
    await flushed
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 5000])
  })

  test('not at all if maxRetries is 0', async () => {
    const { sent, reported, writer } = world(['refused'], { maxRetries: 0 })
    await writer.write(row(1))
    await writer.close()
    expect([sent.length, reported.length]).toEqual([1, 1])
  })

  test('until its signal aborts', async () => {
    const stop = new AbortController()
    const { clock, reported, writer } = world(Array(99).fill('refused'), { signal: stop.signal })
    await writer.write(row(1))
    const closed = writer.close()
    await clock.pass(400)
    stop.abort(new Error('the program ends'))
    expect(await closed).toEqual({ rows: 1, acknowledged: 0, failed: 1 })
    expect(reported).toMatchObject([{ state: 'failed', error: new Error('the program ends'), texts: ['{"V":1}'] }])
  })
})

describe('reports the outcome of each batch', () => {
  test('a refusal is not retried, and the next batch is sent', async () => {
    const { reported, sent, writer } = world([403], { maxBatchRows: 1 })
    await writer.write(row(1), row(2))
    expect(await writer.close()).toEqual({ rows: 2, acknowledged: 1, failed: 1 })
    expect(sent.length).toBe(2)
    expect(reported.map(({ state, firstRow }) => [state, firstRow])).toEqual([
      ['failed', 1],
      ['acknowledged', 2],
    ])
    const [first] = reported
    expect(first?.state === 'failed' && first.error).toBeInstanceOf(ServiceError)
  })

  test('close throws the first failure if onBatch is missing', async () => {
    const { writer } = world([403], { onBatch: undefined as never })
    await writer.write(row(1))
    await expect(writer.close()).rejects.toMatchObject({ code: 'forbidden', status: 403 })
  })

  test('a batch that is too large is sent in halves, each with its own key', async () => {
    const tooMany = { status: 400, body: { ...bodyOf(403, 0), code: 'too_many_rows' } }
    const { reported, sent, writer } = world([tooMany])
    await writer.write(...rows(1, 3))
    await writer.close()
    expect(sent.map(({ key }) => key)).toEqual(['w-1-3', 'w-1-2', 'w-3-1'])
    expect(reported.map(({ firstRow, rows: count }) => [firstRow, count])).toEqual([
      [1, 2],
      [3, 1],
    ])
  })

  test('with waitForReceipts the outcome contains the receipt', async () => {
    const receipt = { batch: 'b', rows: 1, stored: 0, rejected: 1, pending: 0, replaced: 0, errors: [] }
    const { reported, sent, writer } = world([{ status: 200, body: receipt }], { waitForReceipts: true })
    await writer.write(row(1))
    await writer.close()
    expect(sent[0]?.path).toBe('http://service/ingests/plant/data?wait=true')
    expect(reported).toMatchObject([{ answer: receipt }])
  })

  test('a batch with an unknown outcome is reported as possibly sent', async () => {
    const { clock, reported, writer } = world(['broken', ...Array(9).fill('refused')], { retryMs: 3000 })
    await writer.write(row(1))
    const closed = writer.close()
    await clock.pass(5000)
    await closed
    const [first] = reported
    const error = first?.state === 'failed' ? first.error : null
    expect(error instanceof ConnectionError && error.sent).toBe(true)
  })
})

test('refuses rows that JSON would alter, and accepts no row of the same write', async () => {
  const { sent, writer } = world([])
  await expect(writer.write(row(1), { V: Number.POSITIVE_INFINITY })).rejects.toThrow(
    'Row 2 of 2 cannot be written: V is Infinity',
  )
  await expect(writer.write(undefined as never)).rejects.toThrow('Row 1 of 1 cannot be written: it is undefined')
  await expect(writer.writeTexts(['{"V":1}', ' '])).rejects.toThrow('Row 2 of 2 cannot be written: it is not JSON')
  expect(await writer.close()).toEqual({ rows: 0, acknowledged: 0, failed: 0 })
  expect(sent).toEqual([])
})

test('without onRetry, retries are logged as warnings once a minute', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  try {
    const { clock, writer } = world(
      Array.from({ length: 100 }, () => 'refused'),
      { onRetry: undefined },
    )
    await writer.write(row(1))
    await clock.pass(90_000)
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      'tidemark: rows wait: Cannot reach http://service (ECONNREFUSED). Does the service run, and is this its address? Trying again in 0.3 s.',
      expect.stringContaining('Trying again in 10.0 s.'),
    ])
    warn.mockClear()
    const reported = world(['refused', 'refused'], { onRetry: () => undefined })
    await reported.writer.write(row(1))
    await reported.clock.pass(5000)
    expect(warn).not.toHaveBeenCalled()
  } finally {
    warn.mockRestore()
  }
})

test('a closed writer accepts no rows, and invalid bounds are refused', async () => {
  const { writer } = world([])
  await writer.close()
  await expect(writer.write(row(1))).rejects.toThrow('closed')
  expect(() => world([], { maxBatchRows: 0 })).toThrow('maxBatchRows is 0; it must be a whole number from 1.')
  expect(() => world([], { maxRetries: -1 })).toThrow('maxRetries is -1; it must be a whole number from 0.')
  expect(() => world([], { firstRetryWaitMs: 0 })).toThrow('firstRetryWaitMs is 0; it must be a whole number from 1.')
})
