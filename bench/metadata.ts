// Measures items of metadata: what writing them costs the pipeline, and whether a page, a range and a beginning cost what the page costs,
// not what the entity holds. In process, over a catalog on disk, without HTTP.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Catalog } from '../src/catalog/catalog.ts'
import { Definitions } from '../src/catalog/definitions.ts'
import { openSqliteCatalog } from '../src/catalog/sqlite/sqlite-catalog.ts'
import { ItemValidator } from '../src/ingest/item-validator.ts'
import { Metadata } from '../src/metadata/metadata.ts'
import type { Field } from '../src/model/field.ts'
import type { Ingest } from '../src/model/ingest.ts'
import { NextTokens } from '../src/model/next-token.ts'
import { median, printTable, quantile, spread } from './figures.ts'

const stepRows = 2000
const attribute = (name: string, type: Field['type']): Field => ({ name, source: name, type, role: 'attribute' })
const fields: readonly Field[] = [
  { name: 'id', source: 'id', type: 'string', role: 'index' },
  attribute('description', 'string'),
  attribute('unit', 'string'),
  attribute('low', 'double'),
  attribute('high', 'double'),
  attribute('serial', 'long'),
  attribute('since', 'timestamp'),
]

const nameOf = (item: number): string => `site-${item % 97}.unit-${item % 1009}.sensor-${String(item).padStart(7, '0')}`

function rowOf(item: number): string {
  const description = `Temperature behind the heat exchanger, measuring point ${item}`
  const members = {
    id: nameOf(item),
    description,
    unit: 'K',
    low: 0.5,
    high: 900,
    serial: item,
    since: '2026-01-01T00:00:00Z',
  }
  return JSON.stringify(members)
}

/** Pushes the items in a scattered order, and says how many a second the pipeline would keep. */
async function fill(catalog: Catalog, ingest: Ingest, items: number, firstPosition: number): Promise<number> {
  const validator = new ItemValidator({ rowBytes: 1 << 20 })
  let validationMs = 0
  // A step of a prime size through all of them comes to each once.
  const place = (index: number): number => (index * 700_001) % items
  for (let first = 0; first < items; first += stepRows) {
    const rows = Math.min(stepRows, items - first)
    const body = Buffer.from(`[${Array.from({ length: rows }, (_, index) => rowOf(place(first + index))).join(',')}]`)
    const entry = {
      position: firstPosition + first,
      ingestId: ingest.id,
      fieldsVersion: 1,
      subscriberId: 1,
      receivedMs: 0,
      format: 'json',
      idempotencyKey: null,
      rows,
      body,
    } as const
    const begun = performance.now()
    const validated = validator.validate([entry], ingest)
    await catalog.outcomes.add(validated, entry.position + rows)
    validationMs += performance.now() - begun
  }
  return (items / validationMs) * 1000
}

interface Question {
  readonly name: string
  readonly rounds: number
  ask(metadata: Metadata, round: number): Promise<{ readonly chunks: readonly Uint8Array[] }>
}

const everything = () => true
const unhurried = new AbortController().signal
const list = (metadata: Metadata, query: string) => metadata.list('tags', query, everything, unhurried)

function questionsOf(items: number): readonly Question[] {
  const some = (round: number): string => nameOf((round * 7919) % items)
  let next = ''
  return [
    { name: 'first page of 1,000', rounds: 60, ask: (metadata) => list(metadata, '') },
    {
      name: 'page of 100 by token',
      rounds: 200,
      ask: async (metadata) => {
        const answer = await list(metadata, `limit=100${next}`)
        const token = /"NextToken":"([^"]+)"\}$/.exec(Buffer.from(answer.chunks.at(-1) ?? []).toString())?.[1]
        next = token === undefined ? '' : `&NextToken=${token}`
        return answer
      },
    },
    {
      name: 'range, 100 of it',
      rounds: 200,
      ask: (metadata, round) => list(metadata, `limit=100&id[gte]=${some(round)}&id[lt]=z`),
    },
    {
      name: 'bw, 100 of it',
      rounds: 200,
      ask: (metadata, round) => list(metadata, `limit=100&id[bw]=${some(round).slice(0, 6)}`),
    },
    { name: 'equality', rounds: 500, ask: (metadata, round) => list(metadata, `id=${some(round)}`) },
    {
      name: '100 by identifier',
      rounds: 100,
      ask: (metadata, round) => {
        const itemsId = Array.from({ length: 100 }, (_, index) => some(round + index))
        return metadata.find('tags', { itemsId }, everything, unhurried)
      },
    },
    { name: 'page of 10,000', rounds: 10, ask: (metadata) => list(metadata, 'limit=10000') },
  ]
}

interface Measure {
  readonly ms: readonly number[]
  /** The longest that the event loop was held up. */
  readonly heldUpMs: number
}

async function measure(metadata: Metadata, { rounds, ask }: Question): Promise<Measure> {
  const ms: number[] = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  for (let round = -2; round < rounds; round++) {
    if (round === 0) delay.enable()
    const begun = performance.now()
    await ask(metadata, round + 2)
    if (round >= 0) ms.push(performance.now() - begun)
  }
  delay.disable()
  return { ms, heldUpMs: delay.max / 1e6 }
}

interface Figures {
  readonly items: number
  readonly keptPerSecond: number
  readonly repushedPerSecond: number
  readonly measures: ReadonlyMap<string, Measure>
}

async function measureEntity(items: number): Promise<Figures> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const path = join(directory, 'catalog.sqlite')
  const [catalog, reading] = [await openSqliteCatalog({ path }), await openSqliteCatalog({ path })]
  try {
    const definition = {
      alias: 'tags',
      kind: 'metadata',
      entity: null,
      fields,
      duplicates: 'keep',
      createdMs: 0,
    } as const
    const ingest = await catalog.ingests.create(definition)
    const keptPerSecond = await fill(catalog, ingest, items, 0)
    const again = Math.min(items, 20_000)
    const repushedPerSecond = await fill(catalog, ingest, again, items)
    const metadata = new Metadata({
      definitions: await Definitions.open(catalog.ingests),
      items: reading.items,
      tokens: new NextTokens(await catalog.secrets.secret('next-token')),
      limits: { pageBytes: 16 << 20, resultBytes: 256 << 20 },
    })
    const measures = new Map<string, Measure>()
    for (const question of questionsOf(items)) measures.set(question.name, await measure(metadata, question))
    return { items, keptPerSecond, repushedPerSecond, measures }
  } finally {
    await reading.close()
    await catalog.close()
    await rm(directory, { recursive: true, force: true })
  }
}

export async function benchMetadata({
  runs,
  sizes,
}: {
  readonly runs: number
  readonly sizes: readonly number[]
}): Promise<void> {
  const bySize: (readonly Figures[])[] = []
  for (const size of sizes) {
    const figures: Figures[] = []
    for (let run = 0; run < runs; run++) figures.push(await measureEntity(size))
    bySize.push(figures)
  }
  const header = ['', ...sizes.map((size) => `${size.toLocaleString('en')} items`)]
  const line = (name: string, cell: (figures: readonly Figures[]) => string): string[] => [name, ...bySize.map(cell)]
  const thousands = (values: readonly number[]): string =>
    spread(
      values.map((value) => value / 1000),
      0,
    )
  printTable('Metadata: k items a second judged and kept', header, [
    line('new ones', (all) => thousands(all.map(({ keptPerSecond }) => keptPerSecond))),
    line('pushed again', (all) => thousands(all.map(({ repushedPerSecond }) => repushedPerSecond))),
  ])
  const names = [...bySize[0]![0]!.measures.keys()]
  const of = (all: readonly Figures[], name: string): readonly Measure[] =>
    all.map(({ measures }) => measures.get(name)!)
  printTable(
    'Metadata: ms for an answer, p50',
    header,
    names.map((name) =>
      line(name, (all) =>
        spread(
          of(all, name).map(({ ms }) => median(ms)),
          2,
        ),
      ),
    ),
  )
  printTable(
    'Metadata: ms for an answer, p99',
    header,
    names.map((name) =>
      line(name, (all) =>
        spread(
          of(all, name).map(({ ms }) => quantile(ms, 0.99)),
          2,
        ),
      ),
    ),
  )
  printTable(
    'Metadata: ms that the event loop was held up at most',
    header,
    names.map((name) =>
      line(name, (all) =>
        spread(
          of(all, name).map(({ heldUpMs }) => heldUpMs),
          1,
        ),
      ),
    ),
  )
}
