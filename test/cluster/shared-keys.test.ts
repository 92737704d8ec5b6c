import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClusterCatalog } from '../../src/catalog/cluster-catalog.ts'
import type { KeyedEntry } from '../../src/catalog/partitions.ts'
import { hashBody } from '../../src/ingest/idempotency/push-key.ts'
import { SharedKeys } from '../../src/ingest/idempotency/shared-keys.ts'
import { Problem } from '../../src/model/problem.ts'
import { testSchema } from './postgres-schemas.ts'

const schema = testSchema()
let catalogs: readonly ClusterCatalog[] = []
/** The entries of the journal, in order. */
let journal: KeyedEntry[] = []
let validated = 0
const stored: KeyedEntry[] = []

beforeEach(async () => {
  catalogs = await Promise.all([schema.open(), schema.open()])
  journal = []
  validated = 0
  stored.length = 0
})
afterEach(async () => {
  await Promise.all(catalogs.map((catalog) => catalog.close()))
  await schema.remove()
})

const pipeline = {
  busy: Promise.resolve(),
  /** Validates the entries of the journal, one step at a time. */
  validate(): Promise<void> {
    pipeline.busy = pipeline.busy.then(async () => {
      const entries = journal.slice(validated)
      validated += entries.length
      const repeated = await catalogs[0]!.partitions.settleKeys(entries)
      stored.push(...entries.filter(({ position }) => !repeated.has(position)))
    })
    return pipeline.busy
  },
}

type Fate = 'answered' | 'refused' | 'lost before' | 'lost after'

function sharedKeys(catalog: ClusterCatalog): SharedKeys {
  const progress = { waitFor: () => pipeline.validate() }
  return new SharedKeys({ keys: catalog.pushKeys, progress, nowMs: () => 1000, keysMax: 1e6, waitMs: 20_000 })
}

/** Pushes a body like a process; resolves with the body whose push was acknowledged, or with the Problem's code. */
async function push(keys: SharedKeys, key: string, text: string, fate: Fate): Promise<string> {
  const body = Buffer.from(text)
  const store = async () => {
    await sleep(Math.random() * 5)
    if (fate === 'refused') throw new Problem('overloaded', 'no room')
    if (fate === 'lost before') throw new Problem('unavailable', 'no answer')
    const entry = { subscriberId: 1, ingestId: 1, key, bodyHash: hashBody(body, 'json'), position: journal.length }
    journal.push({ ...entry, rows: 1, receivedMs: 1000 })
    const { position } = entry
    await sleep(Math.random() * 5)
    if (fate === 'lost after') throw new Problem('unavailable', 'no answer')
    return { position, rows: 1, receivedMs: 1000 }
  }
  try {
    const { position } = await keys.once({ subscriberId: 1, ingestId: 1, key, body, format: 'json' }, store)
    return `at ${position}`
  } catch (error) {
    if (error instanceof Problem) return error.code
    throw error
  }
}

describe('idempotency keys shared by processes', () => {
  test('concurrent pushes of a key store one, and every response names it, even when responses are lost', async () => {
    const processes = catalogs.map(sharedKeys)
    const fates: readonly Fate[] = ['answered', 'lost after', 'refused', 'lost before', 'answered']
    const answers = await Promise.all(
      Array.from({ length: 80 }, async (_, n) => {
        await sleep(Math.random() * 100)
        const key = `k${n % 8}`
        const answer = await push(processes[n % 2]!, key, `body of ${key}`, fates[Math.floor(Math.random() * 5)]!)
        if (n % 7 === 0) await pipeline.validate()
        return { key, answer }
      }),
    )
    await pipeline.validate()
    expect(new Set(stored.map(({ key }) => key)).size).toBe(stored.length)
    for (const { key, answer } of answers) {
      if (!answer.startsWith('at ')) expect(['overloaded', 'unavailable']).toContain(answer)
      else expect(stored.find((entry) => `at ${entry.position}` === answer)?.key).toBe(key)
    }
  })

  test.each<[string, readonly (readonly [body: string, fate: Fate, answer: string])[], readonly number[]]>([
    [
      'a different body is refused',
      [
        ['a', 'answered', 'at 0'],
        ['b', 'answered', 'idempotency_key_reused'],
        ['a', 'answered', 'at 0'],
      ],
      [0],
    ],
    [
      'a refused push does not consume the key',
      [
        ['a', 'refused', 'overloaded'],
        ['b', 'answered', 'at 0'],
      ],
      [0],
    ],
    [
      'a lost response is returned again',
      [
        ['a', 'lost after', 'unavailable'],
        ['a', 'answered', 'at 0'],
      ],
      [0],
    ],
    [
      'a lost push is repeated',
      [
        ['a', 'lost before', 'unavailable'],
        ['a', 'answered', 'at 0'],
        ['a', 'answered', 'at 0'],
      ],
      [0],
    ],
    [
      'after a lost response a different body is a separate push',
      [
        ['a', 'lost after', 'unavailable'],
        ['b', 'answered', 'at 1'],
      ],
      [0, 1],
    ],
  ])('%s', async (_, pushes, positions) => {
    const processes = catalogs.map(sharedKeys)
    for (const [n, [body, fate, answer]] of pushes.entries()) {
      expect(await push(processes[n % 2]!, 'k', body, fate)).toBe(answer)
    }
    await pipeline.validate()
    expect(stored.map(({ position }) => position)).toEqual(positions)
  })

  test('a key is stored while a repetition received within its day is still queued', async () => {
    const [dayMs, hourMs] = [86_400_000, 3_600_000]
    let nowMs = 10 * dayMs
    const catalog = catalogs[0]!
    const keys = new SharedKeys({
      keys: catalog.pushKeys,
      progress: { waitFor: async () => undefined },
      nowMs: () => nowMs,
      ...{ keysMax: 1e6, waitMs: 20_000 },
    })
    const entry = (position: number, receivedMs: number): KeyedEntry => ({
      ...{ subscriberId: 1, ingestId: 1, key: 'k', bodyHash: hashBody(Buffer.from('a'), 'json'), rows: 1 },
      ...{ position, receivedMs },
    })
    const [first, again] = [entry(0, nowMs), entry(1, nowMs + hourMs)]
    // Both wait for days; the first one is validated when the keys of these days are forgotten.
    nowMs += 3 * dayMs
    expect(await catalog.partitions.settleKeys([first])).toEqual(new Set())
    await keys.forget(again.receivedMs, AbortSignal.timeout(10_000))
    expect(await catalog.partitions.settleKeys([again])).toEqual(new Set([again.position]))
    await keys.forget(nowMs, AbortSignal.timeout(10_000))
    expect(await catalog.partitions.settleKeys([entry(2, nowMs)])).toEqual(new Set())
  })
})
