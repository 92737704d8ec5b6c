// Deletions of rows on a cluster of two processes: in every query language, each responds like a single machine that has only the model's rows.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Value } from '../../src/model/column.ts'
import { type DeletionSelection, deletionOperators } from '../../src/model/deletion.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, publishRows, removeCluster } from '../support/cluster-under-test.ts'
import { itemOf, type ModelRow, ModelStore } from '../support/model-store.ts'
import { type Draw, drawFrom, oneOf } from '../support/random-rows.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const rounds = Number(process.env['TIDEMARK_TEST_ROUNDS'] ?? 1) * 4
const admin = { key: adminKey }
const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'U', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'N', type: 'long', role: 'metric' },
  { name: 'M', type: 'string', role: 'metric' },
  { name: 'B', type: 'boolean', role: 'metric' },
]
const startMs = Date.UTC(2026, 0, 1)
const spanMs = 3 * 3_600_000
const iso = (ms: number): string => new Date(ms).toISOString()

const name = newClusterName()
let dataDirectory: string
let first: ServerProcess
let second: ServerProcess
let alone: RunningService

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
  const start = (role: string): Promise<ServerProcess> => {
    const patient = { TIDEMARK_LIMITS_INGEST_WAIT_MS: '60000', TIDEMARK_LIMITS_DELETIONS: '12' }
    const environment = { ...clusterEnvironment(name), ...patient, TIDEMARK_ROLE: role }
    return ServerProcess.start({ dataDirectory: join(dataDirectory, role), environment })
  }
  ;[first, second, alone] = await Promise.all([start('all'), start('api'), runService({}, { engine: 'embedded' })])
})
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop(), alone?.close()])
  await removeCluster(name)
  await rm(dataDirectory, { recursive: true, force: true })
})

/** Requests of all kinds of queries; `unordered` where the rows of the answer come in any order. */
function questions(entity: string): readonly (readonly [path: string, body: object | null, unordered?: 'unordered'])[] {
  const range = { start_date: iso(startMs), end_date: iso(startMs + spanMs) }
  const data = (kind: string, body: object = {}) => [`/consumer/data/${kind}`, { entity, ...body }] as const
  const statement = (query: string) => ['/consumer/data/sql-query', { sql_query: query }] as const
  const dated = '"__time", "T", "U", "V", "N", "M", "B"'
  const intervals = [`${range.start_date}/${iso(startMs + spanMs + 1)}`]
  const native = (queryType: string, body: object) => {
    const query = { dataSource: entity, intervals, granularity: 'all', ...body }
    return ['/consumer/data/druid-native-query', { query_type: queryType, query_data: query }, 'unordered'] as const
  }
  const count = { type: 'count', name: 'n' }
  const sum = { type: 'doubleSum', name: 's', fieldName: 'V' }
  const hour = { granularity: 'hour' }
  return [
    data('select'),
    data('select', { ids: ['a.x'], metric_name_field: ['N'] }),
    data('latest'),
    data('latest', { id_name_field: 'U', metric_name_field: ['B'] }),
    data('last', { date: iso(startMs + spanMs / 2) }),
    data('next', { date: iso(startMs + spanMs / 2), offset: 1 }),
    data('snap', { ...range, ...hour }),
    data('average', { ...range, ...hour, metric_name_field: ['V'] }),
    data('average-dimensions', { ...range, ...hour, metric_name_field: ['V'], fields: ['U'] }),
    data('average-granularity', { ...range, granularity: 'all', metric_name_field: ['V', 'N'] }),
    data('average', { ...range, ...hour, metric_name_field: ['V'], weight: 'time' }),
    data('aggregate', { ...range, ...hour, metric_name_field: ['V'], aggregates: ['min', 'max', 'count', 'covered'] }),
    data('plot', { ...range, points: 5, metric_name_field: ['V'] }),
    data('states', { ...range, ...hour, metric_name_field: ['M', 'B'] }),
    [`/consumer/data/select?entity=${entity}&ids=a.x,b.y`, null],
    [`/consumer/data/entities/${entity}/tags`, null],
    [...statement(`SELECT ${dated} FROM ${entity}`), 'unordered'],
    statement(`SELECT "T", COUNT(*) AS n, COUNT("V") AS v, MAX("N") AS x FROM ${entity} GROUP BY "T" ORDER BY "T", n`),
    statement(
      `SELECT TIME_FLOOR("__time", 'PT1H') AS h, SUM("V") AS s FROM ${entity} WHERE "V" > 5 GROUP BY 1 ORDER BY 1`,
    ),
    statement(
      `SELECT a."T" AS t, COUNT(*) AS n FROM ${entity} a JOIN ${entity} b ON a."T" = b."U" GROUP BY a."T" ORDER BY 1`,
    ),
    ['/druid/v2/sql', { query: `SELECT COUNT(*) AS n, COUNT(DISTINCT "M") AS m FROM ${entity} WHERE "B" IS NULL` }],
    [
      `/query?db=${entity}&epoch=ms&q=${encodeURIComponent(`SELECT mean("V"), count("M") FROM ${entity} GROUP BY "T"`)}`,
      null,
    ],
    native('timeseries', { aggregations: [count, sum], granularity: 'hour', context: { skipEmptyBuckets: true } }),
    native('timeseries', {
      aggregations: [count],
      filter: { type: 'selector', dimension: 'T', value: 'a.x' },
      granularity: 'day',
      context: { skipEmptyBuckets: true },
    }),
    native('groupBy', { dimensions: ['T', 'M'], aggregations: [count] }),
    native('groupBy', {
      dimensions: ['U'],
      virtualColumns: [{ type: 'expression', name: 'v', expression: 'V * 2', outputType: 'DOUBLE' }],
      aggregations: [count, { type: 'doubleSum', name: 's', fieldName: 'v' }],
    }),
    native('groupBy', {
      dimensions: ['T'],
      virtualColumns: [{ type: 'expression', name: 'T', expression: "'same'", outputType: 'STRING' }],
      aggregations: [count],
    }),
    native('topN', { dimension: 'T', metric: { type: 'dimension' }, threshold: 9, aggregations: [count, sum] }),
    native('scan', { columns: ['__time', 'T', 'V', 'B'], resultFormat: 'compactedList' }),
    native('scan', { resultFormat: 'list' }),
    native('search', { query: { type: 'contains', value: 'a' }, searchDimensions: ['T', 'M'] }),
    native('timeBoundary', { intervals: undefined, granularity: undefined }),
    native('groupBy', {
      dataSource: {
        type: 'query',
        query: { queryType: 'scan', dataSource: entity, intervals, columns: ['__time', 'T', 'N'] },
      },
      dimensions: ['T'],
      aggregations: [{ type: 'longSum', name: 'n', fieldName: 'N' }],
    }),
    ['/i3x/v1/objects/value', { elementIds: [`tag:${entity}:a.x`] }],
    [
      '/i3x/v1/objects/history',
      { elementIds: [`tag:${entity}:b.x`], startTime: range.start_date, endTime: range.end_date },
      'unordered',
    ],
  ]
}

/** A service's answers as text, without the names of entities and segments, and without the order where it is undefined. */
async function answersOf(url: string, entity: string): Promise<string[]> {
  const told: string[] = []
  for (const [path, body, unordered] of questions(entity)) {
    const { status, body: answer } = await call(url, body === null ? 'GET' : 'POST', path, {
      key: adminKey,
      body: body ?? undefined,
    })
    const said = unordered === 'unordered' ? inOrder(answer) : answer
    told.push(`${path} ${JSON.stringify(body)} ${status} ${JSON.stringify(said)}`.replaceAll(entity, 'ENTITY'))
  }
  const [statistics] = await callOk<object[]>(url, 'GET', '/consumer/data/entities', admin).then((all) =>
    all.filter((one) => Reflect.get(one, 'entity') === entity),
  )
  const { rows, first_date, last_date } = statistics as Record<string, unknown>
  return [...told, JSON.stringify({ rows, first_date, last_date })]
}

/**
 * The parts of an answer that come in any order, without Druid's details about the start of segments: elements, events of scans, values of searches and
 * topNs. For i3X the values of one element, because the order of values at the same date is undefined.
 */
function inOrder(answer: unknown): unknown {
  const parts = listIn(answer) ?? listIn(within(answer, 'results', 0, 'result', 'values')) ?? [answer]
  const rows = parts.flatMap((one) => listIn(within(one, 'events')) ?? listIn(within(one, 'result')) ?? [one])
  return rows.map((row) => JSON.stringify(Array.isArray(row) ? row : sorted(row))).sort()
}

const listIn = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null)

function within(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (one, name) => (typeof one === 'object' && one !== null ? Reflect.get(one, name) : null),
    value,
  )
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([key, item]) => [key, sorted(item)]),
  )
}

/** One entity of the cluster with its model. */
class Corrected {
  readonly model = new ModelStore()
  readonly #alias: string
  readonly #replaces: boolean
  readonly #draw: Draw
  readonly #made: { readonly id: number; readonly modelId: number }[] = []
  #key = ''
  #rows = 0
  #compared = 0
  #deletions = 0

  constructor(alias: string, duplicates: 'keep' | 'replace', draw: Draw) {
    this.#alias = alias
    this.#replaces = duplicates === 'replace'
    this.#draw = draw
  }

  async begin(): Promise<void> {
    const duplicates = this.#replaces ? 'replace' : 'keep'
    this.#key = await makeIngest(first.url, adminKey, { alias: this.#alias, duplicates, fields })
  }

  async push(count: number): Promise<void> {
    const rows = Array.from({ length: count }, () => this.#row())
    const body = rows.map(({ D, ...values }) => ({ D: iso(Number(D)), ...values }))
    const receipt = await callOk(first.url, 'POST', `/ingests/${this.#alias}/data?wait=true`, {
      key: this.#key,
      body,
    })
    expect(receipt).toMatchObject({ stored: count })
    for (const values of rows) this.model.writeRow(this.#modelRow(values))
  }

  #modelRow(values: Readonly<Record<string, Value>>): ModelRow {
    const row = { entityId: 1, position: this.#rows++, values }
    return this.#replaces ? { ...row, item: itemOf(fields, values) } : row
  }

  #row(): Record<string, Value> {
    const draw = this.#draw
    const row: Record<string, Value> = {
      D: startMs + draw(this.#replaces ? 12 : 180) * (this.#replaces ? 900_000 : 60_000),
      T: oneOf(draw, ['a.x', 'a.y', 'b.x', 'b.y', 'a_x']),
      U: oneOf(draw, ['a.x', 'u%', 'b']),
      V: oneOf(draw, [null, draw(40) / 4 - 2, 0]),
      N: oneOf(draw, [null, draw(10) - 5, 4_000_000_000]),
      M: oneOf(draw, [null, 'ok', "it's", 'zero "V"']),
      B: oneOf(draw, [null, true, false]),
    }
    if (this.#replaces) for (const metric of ['V', 'N', 'M', 'B']) if (draw(3) === 0) delete row[metric]
    return row
  }

  async delete(server: ServerProcess): Promise<void> {
    const { request, selection } = this.#selection()
    const path = `/admin/entities/${this.#alias}/deletions`
    const body = { ...request, reason: 'wrong' }
    const dry = await callOk<{ rows: number }>(server.url, 'POST', path, {
      ...admin,
      body: { ...body, dry_run: true },
    })
    const made = await call<{ id: number; rows: number }>(server.url, 'POST', path, { ...admin, body })
    expect(made, JSON.stringify(request)).toMatchObject({ status: 201 })
    const modelId = ++this.#deletions
    const rows = this.model.delete(modelId, selection, null)
    expect([JSON.stringify(request), dry.rows, made.body.rows]).toEqual([JSON.stringify(request), rows, rows])
    this.#made.push({ id: made.body.id, modelId })
  }

  async takeBack(server: ServerProcess): Promise<void> {
    const [taken] = this.#made.splice(this.#draw(this.#made.length || 1), 1)
    if (taken === undefined) return
    await callOk(server.url, 'DELETE', `/admin/entities/${this.#alias}/deletions/${taken.id}`, admin)
    this.model.takeBack(taken.modelId)
  }

  #selection(): { readonly request: object; readonly selection: DeletionSelection } {
    const draw = this.#draw
    const tag = oneOf(draw, ['T', 'U'])
    const ids = draw(2) === 0 ? [oneOf(draw, ['a.x', 'b.x', 'u%']), 'b.y'] : null
    const prefixes = ids === null && draw(2) === 0 ? [oneOf(draw, ['a.', 'a_', 'u%', 'b'])] : null
    const [fromMs, toMs] = [draw(180), draw(180)].sort((a, b) => a - b).map((minute) => startMs + minute * 60_000) as [
      number,
      number,
    ]
    const isOpen = draw(2) === 0 && (ids !== null || prefixes !== null)
    const names = draw(3) === 0 ? [oneOf(draw, ['V', 'N', 'M', 'B']), 'V'] : null
    const metrics = fields.flatMap(({ name, type }) =>
      names?.includes(name) && type !== 'json' ? [{ name, type }] : [],
    )
    const operator = oneOf(draw, deletionOperators)
    const where = oneOf(draw, [
      null,
      null,
      { metric: { name: 'V', type: 'double' }, operator, value: draw(40) / 4 - 2 },
      { metric: { name: 'V', type: 'double' }, operator, value: 0 },
      { metric: { name: 'N', type: 'long' }, operator, value: draw(10) - 5 },
      { metric: { name: 'M', type: 'string' }, operator, value: oneOf(draw, ['ok', "it's"]) },
      { metric: { name: 'B', type: 'boolean' }, operator, value: draw(2) === 0 },
    ] as const)
    const bounds = isOpen ? {} : { start_date: iso(fromMs), end_date: iso(toMs) }
    const request = {
      id_name_field: tag,
      ...{ ...(ids === null ? {} : { ids }), ...(prefixes === null ? {} : { prefixes }), ...bounds },
      ...(names === null ? {} : { metrics: [...new Set(names)] }),
      ...(where === null ? {} : { where: { metric: where.metric.name, op: where.operator, value: where.value } }),
    }
    const range = isOpen ? { fromMs: null, toMs: null } : { fromMs, toMs }
    const selection = { tag, ids, prefixes, ...range, metrics: names === null ? null : metrics, where }
    return { request, selection }
  }

  /** Within five seconds both processes must respond like a single machine that has only the visible rows. */
  async compare(): Promise<void> {
    const control = `seen_${this.#alias}_${this.#compared++}`
    const key = await makeIngest(alone.url, adminKey, { alias: control, fields })
    const rows = this.model.rows.toSorted((left, right) => left.position - right.position)
    const body = rows.map(({ values: { D, ...values } }) => ({ D: iso(Number(D)), ...values }))
    if (body.length > 0) await callOk(alone.url, 'POST', `/ingests/${control}/data?wait=true`, { key, body })
    const expected = await answersOf(alone.url, control)
    for (const { url } of [first, second]) {
      const begin = performance.now()
      let answers = await answersOf(url, this.#alias)
      while (JSON.stringify(answers) !== JSON.stringify(expected) && performance.now() - begin < 5000)
        answers = await answersOf(url, this.#alias)
      expect(answers).toEqual(expected)
    }
  }
}

describe.each(['keep', 'replace'] as const)('duplicates: %s', (duplicates) => {
  test(`every query language sees random deletions, some of them undone (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    const draw = drawFrom(seed)
    const entity = new Corrected(`fixed_${duplicates}`, duplicates, draw)
    await entity.begin()
    for (let round = 0; round < rounds; round++) {
      await entity.push(40)
      for (let count = 1 + draw(2); count > 0; count--) await entity.delete(oneOf(draw, [first, second]))
      if (draw(2) === 0) await entity.takeBack(oneOf(draw, [first, second]))
      if (round === rounds - 1) await publishRows(name)
      await entity.compare()
    }
  })
})

describe('deletions on a cluster', () => {
  const path = '/admin/entities/bounds/deletions'
  const day = iso(startMs)
  let key = ''
  beforeAll(async () => {
    key = await makeIngest(first.url, adminKey, { alias: 'bounds', fields })
    await makeIngest(second.url, adminKey, { alias: 'beside', fields })
    await push([{ D: day, T: 'a', U: 'u', V: 1, M: 'x' }])
  })
  const push = (rows: readonly object[]) =>
    callOk<{ rejected: number }>(first.url, 'POST', '/ingests/bounds/data?wait=true', { key, body: rows })
  const remove = (body: object, url = second.url) =>
    call<{ id: number; rows: number; detail: string }>(url, 'POST', path, { ...admin, body: { reason: 'x', ...body } })
  const values = async (): Promise<unknown[]> => {
    const query = { body: { entity: 'bounds', metric_name_field: ['V'] } }
    const items = await callOk<{ V: number }[]>(second.url, 'POST', '/consumer/data/select', query)
    return items.map(({ V }) => V)
  }

  test('a row rejected before a deletion and replayed after it counts as pushed before it', {
    timeout: 120_000,
  }, async () => {
    expect(await push([{ D: day, T: 'a', U: 'u', V: 2, W: 1 }])).toMatchObject({ rejected: 1 })
    const { body: made } = await remove({ ids: ['a'] })
    expect(made.rows).toBe(1)
    await push([{ D: day, T: 'a', U: 'u', V: 3 }])
    await callOk(first.url, 'PATCH', '/admin/ingests/bounds', {
      ...admin,
      body: { add_fields: [{ name: 'W', type: 'long', role: 'metric' }] },
    })
    await callOk(first.url, 'POST', '/admin/ingests/bounds/rejected/replay', { ...admin, body: {} })
    expect(await values()).toEqual([3])
    expect(await call(second.url, 'DELETE', `${path}/${made.id}`, admin)).toMatchObject({ status: 204 })
    expect(await values()).toEqual([1, 2, 3])
    expect(await call(first.url, 'DELETE', `${path}/${made.id}`, admin)).toMatchObject({ status: 404 })
  })

  test('refuses conditions and native queries that deletions do not support, with the reason', {
    timeout: 120_000,
  }, async () => {
    expect(await remove({ where: { metric: 'M', op: '<', value: '\u{1f600}' } })).toMatchObject({ status: 400 })
    const { body: made } = await remove({ where: { metric: 'M', op: '<', value: 'z' }, metrics: ['V'] })
    const asked = async (dataSource: unknown, more: object = {}, queryType = 'timeseries') => {
      const query = { dataSource, granularity: 'all', intervals: ['2026-01-01/P1D'], ...more }
      const body = { query_type: queryType, query_data: query }
      const answer = await call<{ detail: string }>(second.url, 'POST', '/consumer/data/druid-native-query', {
        ...admin,
        body,
      })
      return [answer.status, answer.body.detail]
    }
    const others = ['bounds', 'beside'].map((one) => ({ type: 'table', name: one }))
    const aggregations = [{ type: 'count', name: 'n' }]
    expect(await asked({ type: 'union', dataSources: others }, { aggregations })).toEqual([
      400,
      expect.stringContaining('a union with an entity that has deleted rows'),
    ])
    const filter = { type: 'not', field: { type: 'null', column: 'V' } }
    expect(await asked('bounds', { filter, granularity: undefined }, 'timeBoundary')).toEqual([
      400,
      expect.stringContaining('timeBoundary'),
    ])
    await callOk(second.url, 'DELETE', `${path}/${made.id}`, admin)
  })

  test('one deletion more than limits.deletions is a 409, also at another process', { timeout: 120_000 }, async () => {
    for (let count = 0; count < 12; count++) {
      const { status } = await remove({ ids: ['none'] }, count % 2 === 0 ? first.url : second.url)
      expect(status).toBe(201)
    }
    expect(await remove({ ids: ['none'] })).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(await remove({ ids: ['none'], dry_run: true })).toMatchObject({ status: 200 })
  })
})
