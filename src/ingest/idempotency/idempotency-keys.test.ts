import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { SimulatedDisk } from '../../../test/support/simulated-disk.ts'
import type { PlacedEntry } from '../../journal/journal.ts'
import type { Disk } from '../../lib/disk.ts'
import { Problem } from '../../model/problem.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'

const dayMs = 24 * 60 * 60 * 1000
const directory = '/keys'

/** A journal in memory that never loses acknowledged entries, with keys on a simulated disk. */
class World {
  readonly disk = new SimulatedDisk(seededRandom(7))
  readonly entries: PlacedEntry[] = []
  firstPosition = 0
  nowMs = Date.UTC(2026, 0, 1)
  uptimeMs = 5000
  keysMax = 1000
  keys!: IdempotencyKeys

  get endPosition(): number {
    const last = this.entries.at(-1)
    return last === undefined ? this.firstPosition : last.position + Math.max(1, last.rows)
  }

  async start(disk: Disk = this.disk.mount()): Promise<void> {
    const { entries, firstPosition, endPosition } = this
    const read = async (position: number) => entries.filter((entry) => entry.position >= position).slice(0, 3)
    this.keys = await IdempotencyKeys.open({
      disk,
      directory,
      newSalt: () => 42,
      nowMs: () => this.nowMs,
      uptimeMs: () => this.uptimeMs,
      keysMax: this.keysMax,
      journal: { firstPosition, durablePosition: endPosition, reader: { read } },
    })
  }

  pass(ms: number): void {
    this.nowMs += ms
    this.uptimeMs += ms
  }

  /** The position that the push returns. */
  async push(
    key: string,
    text: string,
    { ingestId = 1, subscriberId = 1, fails = false, format = 'json' as 'json' | 'ndjson' } = {},
  ): Promise<number> {
    const body = Buffer.from(text)
    const { position } = await this.keys.once({ subscriberId, ingestId, key, body, format }, async () => {
      await null
      if (fails) throw new Error('not stored')
      const entry: PlacedEntry = {
        position: this.endPosition,
        rows: text.length % 4,
        receivedMs: this.nowMs,
        idempotencyKey: key,
        ingestId,
        subscriberId,
        fieldsVersion: 1,
        format,
        body,
      }
      this.entries.push(entry)
      return entry
    })
    return position
  }

  async trim(position: number): Promise<void> {
    await this.keys.beforeTrim(position)
    this.firstPosition = position
    this.entries.splice(0, this.entries.filter((entry) => entry.position < position).length)
  }
}

async function newWorld(): Promise<World> {
  const world = new World()
  await world.start()
  return world
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'stored',
    (error) => (error instanceof Problem ? error.code : String(error)),
  )

describe('an idempotency key', () => {
  test('refuses the same bytes in another format, also after a restart', async () => {
    const world = new World()
    await world.start()
    expect(await world.push('k', '{}')).toBe(0)
    expect(await codeOf(world.push('k', '{}', { format: 'ndjson' }))).toBe('idempotency_key_reused')
    expect(await world.push('l', '{}', { format: 'ndjson' })).toBe(2)
    await world.start()
    expect(await codeOf(world.push('k', '{}', { format: 'ndjson' }))).toBe('idempotency_key_reused')
    expect(await codeOf(world.push('l', '{}'))).toBe('idempotency_key_reused')
    expect(await world.push('l', '{}', { format: 'ndjson' })).toBe(2)
  })

  test('returns the first push on repeats, refuses another body, is separate for each ingest and subscriber', async () => {
    const world = await newWorld()
    const first = await world.push('k', 'body')
    expect(await world.push('k', 'body')).toBe(first)
    expect(await codeOf(world.push('k', 'other'))).toBe('idempotency_key_reused')
    expect(await world.push('k', 'other', { ingestId: 2 })).not.toBe(first)
    expect(await world.push('k', 'other', { subscriberId: 2 })).not.toBe(first)
    expect(world.entries).toHaveLength(3)
  })

  test.each([
    ['within a day', dayMs - 1000, 1],
    ['after a day', dayMs, 2],
  ])('is valid for a day: a repeat %s', async (_, laterMs, stored) => {
    const world = await newWorld()
    await world.push('k', 'body')
    world.pass(laterMs)
    await world.push('k', 'body')
    expect(world.entries).toHaveLength(stored)
    await world.start()
    await world.push('k', 'body')
    expect(world.entries).toHaveLength(stored)
  })

  test('makes a repeat wait for the push in progress', async () => {
    const world = await newWorld()
    const [first, second, other] = await Promise.all([
      world.push('k', 'body'),
      world.push('k', 'body'),
      codeOf(world.push('k', 'other')),
    ])
    expect(second).toBe(first)
    expect(other).toBe('idempotency_key_reused')
    expect(world.entries).toHaveLength(1)
  })

  test('is not used up by a failed push: a waiting repeat is stored', async () => {
    const world = await newWorld()
    const outcomes = await Promise.all([
      codeOf(world.push('k', 'bad', { fails: true })),
      codeOf(world.push('k', 'good')),
      codeOf(world.push('k', 'good')),
    ])
    expect(outcomes).toEqual(['Error: not stored', 'stored', 'stored'])
    expect(world.entries).toHaveLength(1)
  })
})

test('over the limit, new keys are refused and known ones accepted; a day later new ones are accepted too', async () => {
  const world = new World()
  world.keysMax = 3
  await world.start()
  for (const key of ['a', 'b', 'c']) await world.push(key, key)
  expect(await codeOf(world.push('d', 'd'))).toBe('overloaded')
  expect(await codeOf(world.push('b', 'b'))).toBe('stored')
  world.pass(dayMs)
  expect(await codeOf(world.push('d', 'd'))).toBe('stored')
})

const yearMs = 365 * dayMs

/** A push while the clock is ahead by `clockMs`, or behind if it is negative. */
async function pushBy(world: World, clockMs: number, key: string): Promise<number> {
  world.nowMs += clockMs
  const position = await world.push(key, key)
  world.nowMs -= clockMs
  return position
}

describe('a clock that ran ahead', () => {
  test('does not stop expiry: a day later its own key and the others have expired', async () => {
    const world = new World()
    world.keysMax = 3
    await world.start()
    await pushBy(world, yearMs, 'ahead')
    for (const key of ['a', 'b']) await world.push(key, key)
    expect(await codeOf(world.push('c', 'c'))).toBe('overloaded')
    world.pass(dayMs)
    for (const key of ['c', 'd', 'e']) expect(await codeOf(world.push(key, key))).toBe('stored')
    expect(world.keys.size).toBe(3)
    expect(await codeOf(world.push('ahead', 'another body'))).toBe('overloaded')
  })

  test('stamps keys that are valid for a day all the same', async () => {
    const world = await newWorld()
    const first = await pushBy(world, yearMs, 'ahead')
    world.pass(dayMs - 1000)
    expect(await world.push('ahead', 'ahead')).toBe(first)
    world.pass(1000)
    expect(await world.push('ahead', 'ahead')).not.toBe(first)
  })

  test.each([
    ['in the journal', false],
    ['in the files', true],
  ])('does not stop expiry when the service restarts more than once a day, its key %s', async (_, trims) => {
    const world = await newWorld()
    const first = await pushBy(world, yearMs, 'ahead')
    for (let quarter = 0; quarter < 40; quarter++) {
      for (let push = 0; push < 3; push++) await world.push(`${quarter} ${push}`, 'body')
      if (trims) await world.trim(world.endPosition)
      world.pass(dayMs / 4)
      await world.start()
      expect(world.keys.size).toBeLessThanOrEqual(1 + 4 * 3)
    }
    // At this point, the service cannot know that the earlier clock was wrong and not the present one.
    expect(await world.push('ahead', 'ahead')).toBe(first)
    expect((await world.disk.mount().list(directory)).length).toBeLessThanOrEqual(trims ? 2 : 0)
  })

  test('beyond the latest time that a stamp can express prevents neither a push nor a start', async () => {
    const world = await newWorld()
    const first = await pushBy(world, 200 * yearMs, 'ahead')
    await world.start()
    expect(await world.push('ahead', 'ahead')).toBe(first)
    await world.trim(world.endPosition)
    await world.start()
    expect(await world.push('ahead', 'ahead')).toBe(first)
  })

  test('does not make its key override a later push with the same key', async () => {
    const world = await newWorld()
    await pushBy(world, yearMs, 'k')
    await world.trim(world.endPosition)
    world.pass(dayMs)
    const second = await world.push('k', 'k')
    await world.start()
    expect(await world.push('k', 'k')).toBe(second)
    await world.trim(world.endPosition)
    await world.start()
    expect(await world.push('k', 'k')).toBe(second)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])(
    'leaves complete files after a crash %i steps into a start',
    async (steps) => {
      const world = await newWorld()
      const ahead = await pushBy(world, yearMs, 'ahead')
      await world.trim(world.endPosition)
      const other = await world.push('other', 'other')
      await world.trim(world.endPosition)
      await Promise.race([world.disk.haltAfter(steps), world.start()])
      world.disk.crash()
      await world.start()
      expect(await world.push('ahead', 'ahead')).toBe(ahead)
      expect(await world.push('other', 'other')).toBe(other)
    },
  )
})

describe('a clock that ran behind', () => {
  test('does not shorten the validity of a key', async () => {
    const world = await newWorld()
    const first = await pushBy(world, -50 * yearMs, 'behind')
    expect(await world.push('behind', 'behind')).toBe(first)
    world.pass(dayMs - 1000)
    expect(await world.push('behind', 'behind')).toBe(first)
    world.pass(1000)
    expect(await world.push('behind', 'behind')).not.toBe(first)
  })
})

/** Clocks that are set while keys arrive: a process knows its own keys for a day, and no longer. */
test('a process accepts a key as known for exactly a day, however its clock is set', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ key: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ hours: fc.nat(15) }) },
    { weight: 2, arbitrary: fc.record({ clockHours: fc.integer({ min: -100, max: 100 }) }) },
    { weight: 1, arbitrary: fc.constant('trim' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const world = await newWorld()
      const answered = new Map<string, { readonly position: number; readonly atMs: number }>()
      for (const one of steps) {
        if (one === 'trim') await world.trim(world.endPosition)
        else if ('hours' in one) world.pass((one.hours * dayMs) / 24)
        else if ('clockHours' in one) world.nowMs += (one.clockHours * dayMs) / 24
        else {
          const key = String(one.key)
          const before = answered.get(key)
          const isLive = before !== undefined && world.uptimeMs - before.atMs < dayMs
          const end = world.endPosition
          const position = await world.push(key, 'body')
          expect(position).toBe(isLive ? before.position : end)
          if (!isLive) answered.set(key, { position, atMs: world.uptimeMs })
        }
      }
    }),
    { numRuns: rounds(200) },
  )
})

describe('the key files', () => {
  test('are deleted when all keys in them are a day old', async () => {
    const world = await newWorld()
    for (let hour = 0; hour < 30; hour++) {
      await world.push(`${hour}`, 'body')
      await world.trim(world.endPosition)
      world.pass(dayMs / 24)
    }
    expect(await world.disk.mount().list(directory)).toHaveLength(24)
    await world.start()
    expect(world.keys.size).toBe(23)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'remain complete after a crash %i steps after all their keys expired',
    async (steps) => {
      const world = await newWorld()
      await world.push('a', 'a')
      await world.trim(world.endPosition)
      await world.start()
      world.pass(dayMs)
      const second = await world.push('a', 'a')
      await Promise.race([world.disk.haltAfter(steps), world.trim(world.firstPosition).catch(() => {})])
      world.disk.crash()
      await world.start()
      expect(await world.push('a', 'a')).toBe(second)
    },
  )

  test('copied later than the journal return no position that the journal lacks', async () => {
    const world = await newWorld()
    const first = await world.push('a', 'a')
    const copied = [...world.entries]
    await world.push('b', 'b')
    await world.trim(0)
    world.entries.splice(0, world.entries.length, ...copied)
    await world.start()
    expect(await world.push('a', 'a')).toBe(first)
    await world.push('c', 'c')
    await world.start()
    expect(await world.push('b', 'b')).toBe(2)
    expect(await world.push('c', 'c')).toBe(1)
    expect(world.entries).toHaveLength(3)
  })

  const name = `${directory}/000000000001.keys`
  test.each<[string, (bytes: Buffer) => Buffer, string | null]>([
    ['unchanged', (bytes) => bytes, null],
    ['with the rest of a torn write at the end', (bytes) => Buffer.concat([bytes, Buffer.alloc(50)]), null],
    ['cut off within a block', (bytes) => bytes.subarray(0, -1), 'the keys in the file end before the journal begins'],
    ['with a changed entry', (bytes) => changed(bytes, 80), 'the keys in the file end before the journal begins'],
    ['with a changed header', (bytes) => changed(bytes, 12), 'offset 0: the header of the file is damaged'],
    [
      'of a newer version',
      (bytes) => Buffer.concat([bytes.subarray(0, 8), Buffer.from([2]), bytes.subarray(9)]),
      'format version 2',
    ],
  ])('are read or refused: %s', async (_, damage, message) => {
    const world = await newWorld()
    await world.push('a', 'a')
    await world.trim(world.endPosition)
    world.disk.put(name, damage(world.disk.contents(name)))
    if (message !== null) await expect(world.start()).rejects.toThrow(message)
    else {
      await world.start()
      expect(await world.push('a', 'a')).toBe(0)
    }
  })

  test('are refused when damaged within the length that the next file confirms', async () => {
    const world = await newWorld()
    await world.push('a', 'a')
    await world.trim(world.endPosition)
    world.pass(dayMs / 12)
    await world.push('b', 'b')
    await world.trim(world.endPosition)
    world.disk.put(name, changed(world.disk.contents(name), 80))
    await expect(world.start()).rejects.toThrow('offset 32: a block is damaged')
  })
})

function changed(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[offset]! ^= 1
  return copy
}

/** Keys, bodies, trims, failing disks and crashes in any order: an acknowledged key returns the same position for a day. */
test('a key returns the same push for a day through trims, disk failures and crashes', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ key: fc.nat(12), body: fc.nat(1), fails: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ trimShare: fc.double({ min: 0, max: 1, noNaN: true }) }) },
    { weight: 1, arbitrary: fc.record({ hours: fc.nat(9) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        fault: fc.constantFrom<'sync' | 'write' | 'create' | 'syncDirectory'>(
          'sync',
          'write',
          'create',
          'syncDirectory',
        ),
      }),
    },
    { weight: 2, arbitrary: fc.record({ crash: fc.constantFrom('crash', 'kill', 'crash while trimming') }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const world = await newWorld()
      const answered = new Map<string, { position: number; body: string; atMs: number }>()
      for (const one of steps) {
        if ('key' in one) {
          const [key, body] = [`${one.key}`, `body ${one.body}`]
          const before = answered.get(key)
          const isLive = before !== undefined && before.atMs > world.nowMs - dayMs
          const expected = !isLive ? 'new' : before.body === body ? before.position : 'idempotency_key_reused'
          const end = world.endPosition
          const outcome = await world
            .push(key, body, { fails: one.fails })
            .catch((error) => (error instanceof Problem ? error.code : 'failed'))
          if (expected !== 'new') expect(outcome).toBe(expected)
          else expect(outcome).toBe(one.fails ? 'failed' : end)
          if (typeof outcome === 'number' && !isLive) answered.set(key, { position: outcome, body, atMs: world.nowMs })
        } else if ('hours' in one) world.pass(one.hours * (dayMs / 24))
        else if ('fault' in one) world.disk.failOnce(one.fault, 'EIO')
        else if ('trimShare' in one) {
          const places = [...world.entries.map((entry) => entry.position), world.endPosition]
          await world.trim(places[Math.floor(one.trimShare * (places.length - 1))]!).catch(() => {})
        } else {
          if (one.crash === 'crash while trimming') {
            await Promise.race([world.disk.haltAfter(3), world.trim(world.firstPosition).catch(() => {})])
          }
          if (one.crash === 'kill') world.disk.kill()
          else world.disk.crash()
          await world.start()
        }
      }
    }),
    { numRuns: rounds(300) },
  )
})
