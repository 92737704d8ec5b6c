import { expect, test } from 'vitest'
import type { AuditFilter, AuditLine, RequestedChange } from '../../src/catalog/audit.ts'
import type { NewIngest, SharedCatalog, StateSources } from '../../src/catalog/catalog.ts'

const asker = { key: 'k1', subscriber: 'ann', address: '10.0.0.1', request: 'r1' }
const first: AuditFilter = { after: null, limit: 100, bytesMax: 1_000_000 }
const nowMs = () => 1000

/** Tests for the audit of every catalog; `ingest` returns the definition of an ingest. */
export function auditTests(catalog: () => SharedCatalog, ingest: (alias: string) => NewIngest): void {
  const lines = async (filter: Partial<AuditFilter> = {}): Promise<readonly AuditLine[]> =>
    (await catalog().audit.list({ ...first, ...filter })).lines
  const ingestChange = (name: string): RequestedChange<StateSources> => ({
    ...asker,
    what: 'change',
    name,
    state: async ({ ingests }) => (await ingests.find(name))?.state ?? null,
  })
  const add = (what: string, timeMs: number, after: unknown = null) =>
    catalog().audit.add({ ...asker, timeMs, what, name: 'a\0b', before: null, after })

  test('a change and its line are one transaction; a refused change writes no line', async () => {
    const { audit, ingests } = catalog()
    await audit.change(ingestChange('plant'), nowMs).run(() => ingests.create(ingest('plant')))
    await audit.change(ingestChange('plant'), nowMs).run(() => ingests.change('plant', { state: 'blocked' }))
    const refused = audit.change(ingestChange('plant'), nowMs).run(() => ingests.create(ingest('plant')))
    await expect(refused).rejects.toMatchObject({ code: 'conflict' })
    await ingests.change('plant', { state: 'active' })
    await audit.change(ingestChange('plant'), nowMs).run(() => ingests.delete('plant', 'keep', 1))
    expect(await lines()).toMatchObject([
      { ...asker, timeMs: 1000, what: 'change', name: 'plant', before: 'active', after: null },
      { before: 'active', after: 'blocked' },
      { before: null, after: 'active' },
    ])
  })

  test('several transactions of one change without a state are added up in one line', async () => {
    const { audit, outcomes, rejected } = catalog()
    const { id } = await catalog().ingests.create(ingest('plant'))
    const row = { ingestId: id, batchPosition: 0, batchRows: 1200, subscriberId: 7, row: '1', field: 'T' }
    const all = Array.from({ length: 1200 }, (_, position) => ({
      ...row,
      ...{ position, index: position, code: 'missing_tag' as const, message: 'T', receivedMs: 1 },
    }))
    await outcomes.add({ rejected: all, items: [] }, 1200)
    const change = audit.change({ ...asker, what: 'discard', name: 'plant' }, nowMs)
    await change.run(() => rejected.discard(id, null))
    await change.keepLine()
    expect(await lines()).toMatchObject([{ what: 'discard', before: null, after: { discarded: 1200 } }])
  })

  test('keepLine writes the line of a change that has none yet, once', async () => {
    const { audit } = catalog()
    const change = audit.change({ ...asker, what: 'backup', name: null }, nowMs)
    await change.run(() => audit.setAfter(null))
    await change.run(() => audit.setAfter({ bytes: 1 }))
    await change.keepLine()
    await audit.change(ingestChange('none'), nowMs).keepLine()
    // Outside a change nothing is recorded.
    await audit.setAfter({ bytes: 2 })
    const told = (await lines()).map(({ what, after }) => [what, after])
    expect(told).toEqual([
      ['change', null],
      ['backup', { bytes: 1 }],
    ])
  })

  test('lines are listed newest first, filtered by who, what and time, up to bytesMax; the oldest are removed', async () => {
    const ids = []
    for (const [index, timeMs] of [5, 9, 7, 9].entries()) ids.push(await add(`w${index}`, timeMs, 'x'.repeat(100)))
    const whats = async (filter: Partial<AuditFilter>) => (await lines(filter)).map(({ what }) => what)
    expect(await whats({})).toEqual(['w3', 'w1', 'w2', 'w0'])
    expect(await whats({ after: { timeMs: 9, id: ids[3]! } })).toEqual(['w1', 'w2', 'w0'])
    expect(await whats({ after: { timeMs: 9, id: ids[1]! } })).toEqual(['w2', 'w0'])
    expect(await whats({ fromMs: 7, untilMs: 9 })).toEqual(['w2'])
    expect(await whats({ what: 'w0' })).toEqual(['w0'])
    expect([await whats({ who: 'ann' }), await whats({ who: 'k1' })].map(({ length }) => length)).toEqual([4, 4])
    expect(await whats({ who: 'bob\0' })).toEqual([])
    const { lines: few, more } = await catalog().audit.list({ ...first, bytesMax: 250 })
    expect([few.length, more, few[0]!.name]).toEqual([2, true, 'a\0b'])
    expect(await catalog().audit.update(ids[3]!, 'y'.repeat(200))).toBe(true)
    expect(await whats({ bytesMax: 250 })).toEqual(['w3'])
    expect(await catalog().audit.update(ids[0]!, 'mended')).toBe(true)
    expect(await catalog().audit.removeBefore(9, 1)).toBe(1)
    expect(await catalog().audit.update(ids[0]!, 'gone')).toBe(false)
    expect(await catalog().audit.removeBefore(9, 10)).toBe(1)
    expect(await whats({})).toEqual(['w3', 'w1'])
  })
}
