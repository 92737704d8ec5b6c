import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Problem } from '../model/problem.ts'
import { Admission, type QueryClass, type Release } from './admission.ts'

const signal = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))
const few = { runningQueries: 4, runningSqlQueries: 3, waitingQueries: 8 }
const one = { runningQueries: 1, runningSqlQueries: 1, waitingQueries: 1 }

/** Queries by name; a name contains the caller and the class: `a.sql.1`. */
class Asked {
  readonly admission: Admission
  /** The running queries, in the order of their admission. */
  readonly running = new Map<string, Release>()
  readonly refused: string[] = []
  /** All queries that have not ended. */
  readonly #all = new Set<string>()

  constructor(...parameters: ConstructorParameters<typeof Admission>) {
    this.admission = new Admission(...parameters)
  }

  async ask(...names: string[]): Promise<void> {
    for (const name of names) {
      const [reader, kind] = name.split('.') as [string, QueryClass]
      this.#all.add(name)
      try {
        void Promise.resolve(this.admission.enter(kind, reader, signal)).then((leave) => this.running.set(name, leave))
      } catch {
        this.refused.push(name)
      }
    }
    await settled()
  }

  async end(...names: string[]): Promise<void> {
    for (const name of names) {
      this.running.get(name)!()
      this.running.delete(name)
      this.#all.delete(name)
    }
    await settled()
  }

  get names(): string[] {
    return [...this.running.keys()]
  }

  /** The classes and readers of queued queries. */
  get queued(): Set<string> {
    const names = [...this.#all].filter((name) => !this.running.has(name) && !this.refused.includes(name))
    return new Set(names.map((name) => name.split('.').slice(0, 2).join('.')))
  }

  /** Whether another query of this class and reader would run now. */
  mayRun(name: string): boolean {
    const [reader, kind] = name.split('.') as [string, QueryClass]
    const controller = new AbortController()
    const entered = this.admission.enter(kind, reader, controller.signal)
    if (typeof entered === 'function') {
      entered()
      return true
    }
    entered.catch(() => undefined)
    controller.abort(new Error('only a probe'))
    return false
  }
}

test('queries up to the limit run, and the others wait in the order of arrival', async () => {
  const asked = new Asked({ runningQueries: 2, runningSqlQueries: 2, waitingQueries: 8 })
  await asked.ask('a.data.1', 'a.data.2', 'a.data.3', 'a.data.4', 'a.data.5')
  expect(asked.names).toEqual(['a.data.1', 'a.data.2'])
  await asked.end('a.data.1')
  expect(asked.names).toEqual(['a.data.2', 'a.data.3'])
  await asked.end('a.data.2', 'a.data.3')
  expect(asked.names).toEqual(['a.data.4', 'a.data.5'])
})

test('running and queued queries are counted, including small ones ahead of the queue', async () => {
  const asked = new Asked(one, 4)
  const counts = () => [asked.admission.running, asked.admission.waiting]
  expect(counts()).toEqual([0, 0])
  await asked.ask('a.data.1', 'a.data.2')
  expect(counts()).toEqual([1, 1])
  await asked.end('a.data.1')
  expect(counts()).toEqual([1, 0])
  await asked.ask('a.small.1', 'b.small.1')
  expect(counts()).toEqual([1, 1])
  await asked.end('a.data.2', 'a.small.1')
  expect(counts()).toEqual([0, 0])
})

describe('limits per reader', () => {
  test('leave places to other readers and to data queries', async () => {
    const asked = new Asked(few)
    await asked.ask('a.sql.1', 'a.sql.2', 'a.sql.3', 'a.sql.4', 'a.data.1', 'a.data.2')
    expect(asked.names).toEqual(['a.sql.1', 'a.sql.2', 'a.data.1'])
    await asked.ask('b.sql.1', 'b.sql.2')
    expect(asked.names).toEqual(['a.sql.1', 'a.sql.2', 'a.data.1', 'b.sql.1'])
  })

  test('leave two of eight SQL places to other readers', async () => {
    const asked = new Asked({ runningQueries: 12, runningSqlQueries: 8, waitingQueries: 100 })
    await asked.ask(
      ...Array.from({ length: 20 }, (_, index) => `a.sql.${index}`),
      'b.sql.1',
      'c.sql.1',
      'd.sql.1',
      'd.data.1',
    )
    expect(asked.names.filter((name) => name.startsWith('a'))).toHaveLength(6)
    expect(asked.names.slice(6)).toEqual(['b.sql.1', 'c.sql.1', 'd.data.1'])
  })

  test('a free place goes to the reader with the fewest queries', async () => {
    const asked = new Asked(few)
    await asked.ask('a.data.1', 'a.data.2', 'a.data.3', 'b.data.1', 'a.data.4', 'b.data.2', 'c.data.1')
    await asked.end('a.data.1')
    expect(asked.names).toEqual(['a.data.2', 'a.data.3', 'b.data.1', 'c.data.1'])
    await asked.end('c.data.1')
    expect(asked.names).toEqual(['a.data.2', 'a.data.3', 'b.data.1', 'b.data.2'])
    await asked.end('a.data.2', 'a.data.3')
    expect(asked.names).toEqual(['b.data.1', 'b.data.2', 'a.data.4'])
  })

  test('leave part of the queue to other readers', async () => {
    const asked = new Asked({ ...few, waitingQueries: 4 })
    await asked.ask(...Array.from({ length: 7 }, (_, index) => `a.data.${index}`))
    expect(asked.refused).toEqual(['a.data.6'])
    await asked.ask('b.sql.1', 'b.sql.2', 'b.sql.3')
    expect(asked.names.at(-1)).toBe('b.sql.1')
    expect(asked.refused).toEqual(['a.data.6', 'b.sql.3'])
  })
})

test('data queries may use all places, SQL queries all but one', async () => {
  const asked = new Asked({ runningQueries: 3, runningSqlQueries: 3, waitingQueries: 9 })
  await asked.ask('a.sql.1', 'b.sql.1', 'c.sql.1', 'd.data.1', 'e.data.1')
  expect(asked.names).toEqual(['a.sql.1', 'b.sql.1', 'd.data.1'])
  await asked.end('a.sql.1')
  expect(asked.names).toEqual(['b.sql.1', 'd.data.1', 'c.sql.1'])
  await asked.end('b.sql.1', 'c.sql.1')
  expect(asked.names).toEqual(['d.data.1', 'e.data.1'])
})

describe('small queries without a place', () => {
  const smallOf = (reader: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${reader}.small.${index}`)

  test('run ahead of the queue up to a limit, a quarter of which is left to other readers', async () => {
    const asked = new Asked({ ...few, waitingQueries: 100 }, 4)
    await asked.ask(...smallOf('a', 9), 'a.data.9')
    expect(asked.names).toEqual(smallOf('a', 6))
    await asked.ask(...smallOf('b', 4))
    expect(asked.names).toEqual([...smallOf('a', 6), ...smallOf('b', 2)])
    await asked.end('a.small.5')
    expect(asked.names.slice(5)).toEqual(smallOf('b', 3))
    await asked.end('a.small.0')
    expect(asked.names.slice(4)).toEqual(smallOf('b', 4))
  })

  test('run ahead in small number while other readers query too, and in large number some time later', async () => {
    const asked = new Asked({ ...few, waitingQueries: 100 }, 32)
    await asked.ask('b.small.0')
    await asked.ask(...smallOf('a', 40))
    expect(asked.names).toEqual(['b.small.0', ...smallOf('a', 7)])
    await asked.end('b.small.0', ...smallOf('a', 7))
    expect(asked.names).toEqual(smallOf('a', 14).slice(7))
    while (asked.names.length > 0) await asked.end(asked.names[0]!)
    for (let count = 0; count < 256; count++) {
      await asked.ask('a.small.0')
      await asked.end('a.small.0')
    }
    await asked.ask(...smallOf('a', 40))
    expect(asked.names).toEqual(smallOf('a', 27))
  })

  test('count for their reader when a place becomes free', async () => {
    const asked = new Asked({ runningQueries: 2, runningSqlQueries: 1, waitingQueries: 100 }, 32)
    await asked.ask('c.data.1', 'c.data.2', ...smallOf('a', 3), 'a.data.3', 'b.data.1')
    expect(asked.names).toEqual(['c.data.1', 'c.data.2', ...smallOf('a', 3)])
    await asked.end('c.data.1')
    expect(asked.names.at(-1)).toBe('b.data.1')
  })

  test('overtake queued queries without using a place', async () => {
    const asked = new Asked({ ...few, waitingQueries: 100 }, 4)
    await asked.ask('a.data.1', 'a.data.2', 'a.data.3', 'a.data.4', 'a.small.5')
    expect(asked.names).toEqual(['a.data.1', 'a.data.2', 'a.data.3', 'a.small.5'])
    await asked.end('a.small.5')
    expect(asked.names).toEqual(['a.data.1', 'a.data.2', 'a.data.3'])
    await asked.end('a.data.1')
    expect(asked.names).toEqual(['a.data.2', 'a.data.3', 'a.data.4'])
  })

  test('count as queued queries while they run ahead', async () => {
    const asked = new Asked({ ...few, waitingQueries: 4 }, 32)
    await asked.ask(...smallOf('a', 7))
    expect(asked.names).toEqual(smallOf('a', 6))
    expect(asked.refused).toEqual(['a.small.6'])
    await asked.ask('b.data.1', 'b.data.2', 'b.small.3')
    expect(asked.names.at(-1)).toBe('b.data.1')
    expect(asked.refused).toEqual(['a.small.6', 'b.small.3'])
  })

  test('are refused or queued like others when the queue or the limit of small queries is 0', async () => {
    const strict = new Asked({ ...few, waitingQueries: 0 }, 32)
    await strict.ask(...smallOf('a', 4))
    expect(strict.refused).toEqual(['a.small.3'])
    const plain = new Asked(few)
    await plain.ask(...smallOf('a', 4))
    expect(plain.names).toEqual(smallOf('a', 3))
  })
})

test.each([
  ['small', 'limits.runningQueries'],
  ['data', 'limits.runningQueries'],
  ['sql', 'limits.runningSqlQueries'],
] as const)(
  'a %s query over the limit is refused with a retry delay and the names of the limits',
  async (kind, setting) => {
    const admission = new Admission({ ...one, waitingQueries: 0 })
    await admission.enter(kind, 'a', signal)
    try {
      await admission.enter(kind, 'b', signal)
      expect.unreachable()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      expect(error).toMatchObject({ code: 'overloaded', status: 503, retryable: true, retryAfterS: 1 })
      expect(error.message).toContain(setting)
      expect(error.message).toContain('limits.waitingQueries')
    }
  },
)

test('a cancelled query leaves the queue to the others', async () => {
  const asked = new Asked(one)
  await asked.ask('a.data.1')
  const controller = new AbortController()
  const given = Promise.resolve(asked.admission.enter('data', 'a', controller.signal))
  controller.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  await asked.ask('a.data.2')
  await asked.end('a.data.1')
  expect(asked.names).toEqual(['a.data.2'])
})

test('a query that is already cancelled is not admitted', () => {
  const admission = new Admission(one)
  expect(() => admission.enter('sql', 'a', AbortSignal.abort(new Error('gone')))).toThrow('gone')
})

test('every queued query that may run begins, also if several may after one has ended', async () => {
  const asked = new Asked({ runningQueries: 12, runningSqlQueries: 8, waitingQueries: 100 })
  const sql = Array.from({ length: 6 }, (_, index) => `a.sql.${index}`)
  await asked.ask(...sql, 'a.data.6', 'a.data.7', 'a.data.8', 'b.sql.0', 'b.sql.1')
  await asked.ask('a.data.9', 'c.sql.0')
  expect([...asked.queued]).toEqual(['a.data', 'c.sql'])
  await asked.end('a.sql.0')
  expect([...asked.queued]).toEqual([])
  expect(asked.names.slice(-2)).toEqual(['c.sql.0', 'a.data.9'])
})

test('for random sequences of queries, no limit is exceeded, and no query is queued while it may run', async () => {
  const name = fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('small', 'data', 'sql'))
    .map((parts) => parts.join('.'))
  const step = fc.oneof({ weight: 3, arbitrary: name }, { weight: 2, arbitrary: fc.nat(9) })
  const steps = fc.array(step, { maxLength: 60, size: 'max' })
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(0, 4), async (history, ahead) => {
      const asked = new Asked({ ...few, waitingQueries: 100 }, ahead)
      let count = 0
      for (const step of history) {
        if (typeof step === 'string') await asked.ask(`${step}.${count++}`)
        else if (asked.names.length > 0) await asked.end(asked.names[step % asked.names.length]!)
        const { names } = asked
        const small = names.filter((running) => running.includes('small')).length
        expect(names.length).toBeLessThanOrEqual(4 + Math.min(ahead, small))
        expect(names.filter((running) => running.includes('sql')).length).toBeLessThanOrEqual(3)
        for (const reader of ['a', 'b', 'c']) {
          const own = names.filter((running) => running.startsWith(reader))
          const ownAhead = Math.min(ahead * 0.75, own.filter((running) => running.includes('small')).length)
          expect(own.length).toBeLessThanOrEqual(3 + ownAhead)
        }
        expect([...asked.queued].filter((query) => asked.mayRun(query))).toEqual([])
      }
      while (asked.names.length > 0) await asked.end(asked.names[0]!)
      expect([...asked.queued]).toEqual([])
      // A new query is admitted immediately and is the only one.
      await asked.ask('d.sql.0')
      expect(asked.names).toEqual(['d.sql.0'])
    }),
    { numRuns: 200 },
  )
})
