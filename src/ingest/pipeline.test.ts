import { describe, expect, test } from 'vitest'
import { noQuarantine } from '../../test/support/no-quarantine.ts'
import { plantIngest as plant } from '../../test/support/plant-ingest.ts'
import type { DroppedEntity, Outcome } from '../catalog/catalog.ts'
import type { RejectedRow } from '../catalog/rejected.ts'
import { type PlacedEntry, positionAfter } from '../journal/journal.ts'
import { Problem } from '../model/problem.ts'
import type { RowBatch } from '../model/row-batch.ts'
import type { ServiceEvent } from '../observe/event.ts'
import { Pipeline, type PipelineParts, type Tally } from './pipeline.ts'
import { encodeReplayedRows } from './replay/replayed-rows.ts'
import { RowValidator } from './row-validator.ts'
import { firstRow, type Reached } from './step-budget.ts'

function entry(position: number, rows: number, ingestId = 1, fieldsVersion = 1): PlacedEntry {
  const body = new Uint8Array(rows)
  return {
    position,
    rows,
    ingestId,
    fieldsVersion,
    subscriberId: 1,
    receivedMs: 0,
    format: 'json',
    idempotencyKey: null,
    body,
  }
}

function rejectedAt(position: number): RejectedRow {
  const row = {
    row: '1',
    field: null,
    code: 'not_an_object',
    message: '',
    receivedMs: 0,
    batchRows: 1,
    subscriberId: 1,
  } as const
  return { ingestId: 1, position, batchPosition: position, index: 0, ...row }
}

/** The step reached the end of the run. */
const wholeOf = (run: readonly PlacedEntry[]): Reached => ({ entries: run.length, place: firstRow })

interface WorldOptions {
  readonly dropped?: readonly DroppedEntity[]
  readonly taken?: readonly number[]
  /** The rows before the validated position that the catalog stores as rejected; by default the bad ones. */
  readonly reported?: readonly number[]
}

interface World {
  readonly log: string[]
  readonly events: ServiceEvent[]
  readonly parts: PipelineParts
}

/** The parts of a pipeline, which log their calls; rows at `bad` positions are rejected. */
function world(
  entries: readonly PlacedEntry[],
  bad: readonly number[] = [],
  validatedPosition = 0,
  { dropped = [], taken = [], reported }: WorldOptions = {},
): World {
  const log: string[] = []
  const events: ServiceEvent[] = []
  const parts: PipelineParts = {
    journal: {
      read: async (position, until) => entries.filter((one) => positionAfter(one) > position && one.position < until),
    },
    ingests: {
      findVersion: async (id, fieldsVersion) =>
        id < 9 ? { ...plant, id, fieldsVersion, kind: id < 5 ? 'series' : 'metadata' } : null,
    },
    dropped: { list: async () => dropped },
    ...noQuarantine,
    outcomes: {
      replay: async ({ position, passed, rejected }) => {
        log.push(`replay at ${position}: ${passed} pass, ${rejected.map((row) => row.position)} stay`)
        const stored = passed.filter((one) => !taken.includes(one))
        return { stored, taken: stored.length }
      },
      validatedPosition: async () => validatedPosition,
      rejectedIn: async (_, from, to) => (reported ?? bad).filter((position) => position >= from && position < to),
      add: async ({ rejected, items }, through) => {
        const kept = [...rejected, ...items].map(({ position }) => position)
        log.push(`keep ${kept} through ${through}`)
      },
    },
    validator: {
      validate: (run, ingest) => {
        const positions = run.flatMap((one) => Array.from({ length: one.rows }, (_, index) => one.position + index))
        const good = positions.filter((position) => !bad.includes(position))
        log.push(`validate ${positions} by ${ingest.id}.${ingest.fieldsVersion}`)
        const batch = { entityId: 1, rows: good.length, positions: Float64Array.from(good), fields: [], columns: [] }
        return {
          batch: good.length === 0 ? null : batch,
          rejected: positions.filter((position) => bad.includes(position)).map(rejectedAt),
          reached: wholeOf(run),
        }
      },
    },
    itemValidator: {
      validate: (run) => {
        const positions = run.flatMap((one) => Array.from({ length: one.rows }, (_, index) => one.position + index))
        log.push(`validate items ${positions}`)
        return {
          items: positions
            .filter((position) => !bad.includes(position))
            .map((position) => ({ entityId: 1, key: new Uint8Array(1), position, attributes: '' })),
          rejected: positions.filter((position) => bad.includes(position)).map(rejectedAt),
          reached: wholeOf(run),
        }
      },
    },
    store: { position: 0, write: (batch: RowBatch) => void log.push(`store ${batch.positions}`) },
    observe: (event) => void events.push({ ...event, ...('ms' in event ? { ms: 0 } : {}) }),
    reach: () => undefined,
    stepBytes: 1024,
    stepRows: 1024,
  }
  return { log, events, parts }
}

/** Runs one step and returns the tallies of its rows. */
async function advance(pipeline: Pipeline, untilPosition: number): Promise<readonly Tally[]> {
  const reported: Tally[] = []
  await pipeline.advance(untilPosition, (tallies) => reported.push(...tallies))
  return reported
}

test('adjacent entries of one definition are validated together; rejected rows are stored before valid ones show', async () => {
  const { log, parts } = world([entry(0, 2), entry(2, 1), entry(3, 1, 2), entry(4, 1, 2, 2)], [1])
  const pipeline = await Pipeline.open(parts)
  const tallies = await advance(pipeline, 5)
  expect(log).toEqual([
    'validate 0,1,2 by 1.1',
    'validate 3 by 2.1',
    'validate 4 by 2.2',
    'keep 1 through 5',
    'store 0,2',
    'store 3',
    'store 4',
  ])
  expect(tallies).toEqual([
    { ingestId: 1, rows: 3, rejected: 1 },
    { ingestId: 2, rows: 2, rejected: 0 },
  ])
  expect(pipeline.position).toBe(5)
})

test.each<[string, PlacedEntry]>([
  ['a push', entry(0, 1)],
  ['a replay', replayOf(0, [7])],
])(
  'the outcome of %s is reported when its rows are visible, before the end of the step is noted',
  async (_name, one) => {
    const { log, parts } = world([one])
    const write: PipelineParts['notes']['write'] = async ({ validating: validation }) => {
      // A disk takes some time; callers get a response meanwhile.
      await new Promise((resolve) => setImmediate(resolve))
      log.push(validation === null ? 'over' : 'begun')
    }
    const pipeline = await Pipeline.open({ ...parts, notes: { ...parts.notes, write } })
    await pipeline.advance(1, () => log.push(`told before ${pipeline.position}`))
    const steps = log.filter((line) => !/^(validate|replay)/.test(line))
    expect(steps).toEqual(['begun', expect.stringMatching('store'), `told before ${positionAfter(one)}`, 'over'])
  },
)

test('an entry without rows occupies a position and stores nothing', async () => {
  const { log, parts } = world([entry(0, 0), entry(1, 1)])
  const pipeline = await Pipeline.open(parts)
  await advance(pipeline, 2)
  expect(log).toEqual(['validate 1 by 1.1', 'store 1'])
  expect(pipeline.position).toBe(2)
})

test('after a restart, rows rejected before are not stored again', async () => {
  const { log, parts } = world([entry(0, 2), entry(2, 2)], [1, 3], 2)
  const pipeline = await Pipeline.open(parts)
  await advance(pipeline, 4)
  expect(log).toContain('keep 3 through 4')
})

test('rows validated again are counted separately, and their rejected rows are not counted twice', async () => {
  // Rejected rows are kept up to position 2. Rows up to 5 were validated or stored before.
  const { events, parts } = world([entry(0, 2), entry(2, 3), entry(5, 4)], [1, 3, 6, 7], 2)
  const pipeline = await Pipeline.open({ ...parts, countedPosition: 5 })
  await advance(pipeline, 9)
  // Of the 4 rows from 5 on, 6 and 7 are rejected; row 3 is kept only now.
  const ingests = [{ ingestId: 1, stored: 2, rejected: 3 }]
  expect(events).toEqual([{ kind: 'rowsValidated', rows: 4, rejected: 3, again: 5, ingests, ms: 0 }])
})

test('a row validated differently after a restart is neither both stored and rejected nor lost', async () => {
  const entries = [entry(0, 4), entry(4, 2, 5), entry(6, 1)]
  // Rows 0 and 4 were reported as rejected; now 1, 5 and 6 are bad.
  const { log, parts } = world(entries, [1, 5, 6], 6, { reported: [0, 4] })
  const pipeline = await Pipeline.open(parts)
  expect(await advance(pipeline, 7)).toEqual([
    { ingestId: 1, rows: 5, rejected: 3 },
    { ingestId: 5, rows: 2, rejected: 1 },
  ])
  expect(log.filter((line) => /^(keep|store)/.test(line))).toEqual(['keep 1,6 through 7', 'store 2,3'])
})

test('a replay validated again counts none of its rows as stored', async () => {
  const { events, parts } = world([replayOf(20, [3, 5])])
  const replay: PipelineParts['outcomes']['replay'] = async ({ passed }) => ({ stored: passed, taken: 0 })
  const pipeline = await Pipeline.open({ ...parts, outcomes: { ...parts.outcomes, replay } })
  expect(await advance(pipeline, 21)).toEqual([{ ingestId: 1, rows: 0, rejected: -2 }])
  expect(events).toEqual([{ kind: 'rowsReplayed', ingestId: 1, rows: 2, stored: 0 }])
})

test('items are stored with the rejected rows of the step, and not again after a restart', async () => {
  const { log, parts } = world([entry(0, 2, 5), entry(2, 1), entry(3, 2, 5)], [1], 2)
  const pipeline = await Pipeline.open(parts)
  const tallies = await advance(pipeline, 5)
  expect(log).toEqual([
    'validate items 0,1',
    'validate 2 by 1.1',
    'validate items 3,4',
    'keep 3,4 through 5',
    'store 2',
  ])
  expect(tallies).toEqual([
    { ingestId: 5, rows: 4, rejected: 1 },
    { ingestId: 1, rows: 1, rejected: 0 },
  ])
})

test('a step without new entries does nothing', async () => {
  const { log, parts } = world([])
  const pipeline = await Pipeline.open(parts)
  expect(await advance(pipeline, 0)).toEqual([])
  expect(log).toEqual([])
})

test('an ingest missing in the catalog stops the pipeline, which does not skip its rows', async () => {
  const { parts } = world([entry(0, 1, 9)])
  const pipeline = await Pipeline.open(parts)
  await expect(advance(pipeline, 1)).rejects.toThrow('ingest 9, version 1, which the catalog lacks')
  expect(pipeline.position).toBe(0)
})

function replayOf(position: number, positions: readonly number[], ingestId = 1): PlacedEntry {
  const body = encodeReplayedRows(positions.map((one) => ({ position: one, text: Buffer.from('{}') })))
  return { ...entry(position, 0, ingestId), format: 'replay', body }
}

describe('a push larger than a step', () => {
  const rows = ['{"D":1,"T":"a","V":1}', '2', '{"D":3,"T":"c"}', '{"D":4,"T":"d"}', '5', '[6]', '{"D":7,"T":"a"}']
  const body = Buffer.from(` [ ${rows.join(' , ')} ] `)
  const large: PlacedEntry = { ...entry(2, rows.length), body }
  const inPieces = (stepRows: number, position: number, validatedPosition: number) => {
    const { log, parts } = world(
      [{ ...entry(0, 2), body: Buffer.from('[1,1]') }, large, entry(9, 0)],
      [],
      validatedPosition,
      { reported: [3] },
    )
    const validator = new RowValidator({ rowBytes: 1000 })
    return { log, parts: { ...parts, validator, store: { ...parts.store, position }, stepRows } }
  }

  test('is validated in steps that end within it', async () => {
    const { log, parts } = inPieces(3, 2, 0)
    const pipeline = await Pipeline.open(parts)
    const positions: number[] = []
    const tallies: Tally[] = []
    while (pipeline.position < 9) {
      tallies.push(...(await advance(pipeline, 9)))
      positions.push(pipeline.position)
    }
    expect(positions).toEqual([5, 8, 9])
    expect(log).toEqual(['keep 3 through 5', 'store 2,4', 'keep 6,7 through 8', 'store 5', 'store 8'])
    expect(tallies.map((tally) => [tally.rows, tally.rejected])).toEqual([
      [3, 1],
      [3, 2],
      [1, 0],
    ])
  })

  test.each([1, 2, 3, 100])(
    'gives the same result when restarted at any of its rows, with %i rows per step',
    async (stepRows) => {
      for (let position = 2; position < 9; position++) {
        const { log, parts } = inPieces(stepRows, position, 5)
        const pipeline = await Pipeline.open(parts)
        const tallies: Tally[] = []
        while (pipeline.position < 9) tallies.push(...(await advance(pipeline, 9)))
        const found = (word: string): number[] => {
          const lines = log.filter((line) => line.startsWith(word))
          return lines.flatMap((line) =>
            line
              .replace(/ through.*/, '')
              .replace(`${word} `, '')
              .split(',')
              .map(Number),
          )
        }
        expect(found('store')).toEqual([2, 4, 5, 8].filter((one) => one >= position))
        expect(found('keep')).toEqual([6, 7].filter((one) => one >= position))
        expect(tallies.reduce((sum, tally) => sum + tally.rows, 0)).toBe(9 - position)
      }
    },
  )

  const same = [
    '{"D":1,"T":"a","V":1}',
    '{"D":1.0,"T":"b"}',
    '{"D":1,"T":"b"}',
    '2',
    '{"D":1,"T":"a"}',
    '{"D":1,"T":"a"}',
  ]
  const replacing = (stepRows: number, position: number) => {
    const { parts } = world([{ ...entry(2, same.length), body: Buffer.from(`[${same}]`) }, entry(8, 0)])
    const reported: number[] = []
    const outcomes = {
      ...parts.outcomes,
      add: async ({ replaced = [] }: Outcome) => void reported.push(...replaced.map(({ rows }) => rows)),
    }
    const ingests = { findVersion: async () => ({ ...plant, duplicates: 'replace' as const }) }
    const validator = new RowValidator({ rowBytes: 1000 })
    return {
      reported,
      parts: { ...parts, ingests, outcomes, validator, store: { ...parts.store, position }, stepRows },
    }
  }

  test.each([1, 2, 3, 100])(
    'counts its rows that replace an earlier one, also when restarted at any row, with %i rows per step',
    async (stepRows) => {
      for (let position = 2; position < 8; position++) {
        const { reported, parts } = replacing(stepRows, position)
        const pipeline = await Pipeline.open(parts)
        while (pipeline.position < 8) await advance(pipeline, 8)
        // The row of the same push before the restart is counted too.
        expect(reported.at(-1)).toBe(3)
        expect(reported).toEqual(reported.toSorted((one, other) => one - other))
      }
    },
  )

  test('counts replaced rows once when a step is repeated because the catalog was unavailable', async () => {
    const { reported, parts } = replacing(3, 2)
    let isAway = false
    const add = async (outcome: Outcome): Promise<void> => {
      isAway = !isAway
      if (isAway) throw new Problem('unavailable', 'The catalog is away.')
      await parts.outcomes.add(outcome)
    }
    const pipeline = await Pipeline.open({ ...parts, outcomes: { ...parts.outcomes, add } })
    while (pipeline.position < 8) await advance(pipeline, 8).catch(() => undefined)
    expect(reported.at(-1)).toBe(3)
  })
})

test('a replay stores rows at their own positions and removes them from the rejected rows', async () => {
  const { log, parts } = world([entry(20, 1), replayOf(21, [3, 5, 7]), entry(22, 1)], [5])
  const pipeline = await Pipeline.open(parts)
  const tallies = [await advance(pipeline, 23), await advance(pipeline, 23), await advance(pipeline, 23)].flat()
  expect(log).toEqual([
    'validate 20 by 1.1',
    'store 20',
    'validate 3,5,7 by 1.1',
    'replay at 21: 3,7 pass, 5 stay',
    'store 3,7',
    'validate 22 by 1.1',
    'store 22',
  ])
  expect(tallies).toEqual([
    { ingestId: 1, rows: 1, rejected: 0 },
    { ingestId: 1, rows: 0, rejected: -2 },
    { ingestId: 1, rows: 1, rejected: 0 },
  ])
  expect(pipeline.position).toBe(23)
})

test('a replay does not store rows that were discarded or stored by another replay', async () => {
  const { log, parts } = world([replayOf(20, [3, 5]), replayOf(21, [5])], [], 0, { taken: [5] })
  const pipeline = await Pipeline.open(parts)
  expect(await advance(pipeline, 22)).toEqual([{ ingestId: 1, rows: 0, rejected: -1 }])
  expect(await advance(pipeline, 22)).toEqual([{ ingestId: 1, rows: 0, rejected: 0 }])
  expect(log.filter((line) => line.startsWith('store'))).toEqual(['store 3'])
})

test('rows of a dropped entity are skipped and count as validated', async () => {
  const dropped = [{ entityId: 7, ingestIds: [8, 9], isRemoved: true }]
  const { log, parts } = world([entry(0, 2, 9), replayOf(2, [0], 8), entry(3, 1)], [], 0, { dropped })
  const pipeline = await Pipeline.open(parts)
  expect([await advance(pipeline, 4), await advance(pipeline, 4), await advance(pipeline, 4)]).toEqual([
    [{ ingestId: 9, rows: 2, rejected: 0 }],
    [],
    [{ ingestId: 1, rows: 1, rejected: 0 }],
  ])
  expect(log).toEqual(['validate 3 by 1.1', 'store 3'])
})

test('an entity dropped while the pipeline runs gets no more rows', async () => {
  const dropped: DroppedEntity[] = []
  const { log, parts } = world([entry(0, 1, 9), entry(1, 1)], [], 0, { dropped })
  const pipeline = await Pipeline.open(parts)
  dropped.push({ entityId: 1, ingestIds: [9], isRemoved: false })
  expect(await advance(pipeline, 2)).toEqual([
    { ingestId: 9, rows: 1, rejected: 0 },
    { ingestId: 1, rows: 1, rejected: 0 },
  ])
  expect(log).toEqual(['validate 1 by 1.1'])
})
