import { expect, test } from 'vitest'
import type { EntityDescription, IngestAnswer, ReadinessAnswer } from '../../../../src/client/answers.ts'
import { ServiceError } from '../../../../src/client/service-error.ts'
import { type Need, needsOf } from './needs.ts'
import type { PlantState } from './plant-state.ts'

const nowMs = Date.UTC(2026, 0, 20)
const well = { nowMs, ready: { ready: true }, readyError: null, plant: null, ingests: [], backupMs: null } as const
const ready = (more: Partial<ReadinessAnswer>) => ({ ready: { ready: true, ...more } })
const ingest = (more: Partial<IngestAnswer>) =>
  ({ alias: 'plant', state: 'active', reason: null, ...more }) as IngestAnswer
const tag = (name: string, minutes: number, silent = true) => ({
  tag: name,
  items: 9,
  newestMs: nowMs - minutes * 60_000,
  silent,
})
const plant = (tags: PlantState['entities'][number]['tags']) =>
  ({
    atMs: nowMs,
    entities: [{ entity: { entity: 'e' } as EntityDescription, tags }],
    others: [],
  }) as unknown as PlantState

test.each<[string, Partial<Parameters<typeof needsOf>[0]>, (readonly [Need['level'], string])[]]>([
  ['nothing if all is well', {}, []],
  ['nothing for fresh tags', { plant: plant([tag('a', 1, false)]) }, []],
  [
    'why the service is not ready',
    { readyError: new ServiceError({ status: 503, detail: 'The disk is gone.' } as never) },
    [['bad', 'The disk is gone.']],
  ],
  [
    'failing background work',
    ready({ failing: [{ work: 'seal', since: '', failures: 3 }] }),
    [['bad', 'Background work fails and is retried: seal, 3 times']],
  ],
  [
    'a disk that is filling',
    ready({ disk: { freeBytes: 1024, floorBytes: 1, filling: true } }),
    [['bad', 'The disk is filling up: 1.0 KiB are free']],
  ],
  ['quarantine', ready({ quarantine: { entries: 1, rows: 5 } }), [['bad', '1 push in quarantine']]],
  [
    'a blocked ingest',
    { ingests: [{ ingest: ingest({ state: 'blocked', reason: 'repairs' }), rows: 0 }] },
    [['bad', 'The ingest plant is blocked: repairs']],
  ],
  ['rejected rows', { ingests: [{ ingest: ingest({}), rows: 2 }] }, [['warn', '2 rejected rows of plant to mend']]],
  ['an old backup', { backupMs: nowMs - 9 * 86_400_000 }, [['warn', 'The newest backup is 9 d old']]],
  [
    'silent tags in one line',
    { plant: plant([tag('a', 10), tag('b', 20), tag('c', 30), tag('d', 40)]) },
    [['warn', '4 tags of e are silent: a for 10 min, b for 20 min, c for 30 min, and 1 more']],
  ],
])('the overview reports %s', (_, known, expected) => {
  expect(needsOf({ ...well, ...known }).map(({ level, text }) => [level, text])).toEqual(expected)
})
