import Type, { type Static } from 'typebox'

const text = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const Journal = Type.Object(
  {
    recovery: Type.Object(
      {
        segments: Type.Integer(),
        entries: Type.Integer(),
        bytes: Type.Integer(),
        tornBytes: Type.Integer({
          description: 'Bytes of an unfinished last entry that were cut off: it was never acknowledged.',
        }),
        tornFile: text('The file they were cut from.'),
      },
      { description: 'What was found when the journal was opened.' },
    ),
  },
  { additionalProperties: true },
)

const Store = Type.Object(
  {
    ready: Type.Boolean({ description: 'Whether queries are answered.' }),
    sealedPosition: Type.Integer({ description: 'Rows that were accepted before this position are in files.' }),
    files: Type.Integer({ description: 'How many files these are.' }),
    rows: Type.Integer({ description: 'How many rows they hold.' }),
    bytes: Type.Integer({ description: 'Their size.' }),
  },
  { additionalProperties: true },
)

const Sql = Type.Object(
  {
    state: Type.Unsafe<'idle' | 'starting' | 'ready'>({
      type: 'string',
      enum: ['idle', 'starting', 'ready'],
      description: 'The state of the SQL engine; `idle` until its first query. Everything else is answered without it.',
    }),
  },
  { additionalProperties: true },
)

const SetAside = Type.Object(
  {
    entries: Type.Integer({
      description: 'Pushes that were set aside because they ended the judge.',
    }),
    rows: Type.Integer({ description: 'Rows of them that were not judged.' }),
  },
  { additionalProperties: true },
)

const Disk = Type.Object(
  {
    freeBytes: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'What is free; null until it is known.',
    }),
    floorBytes: Type.Integer({ description: '`journal.diskFloorBytes`: pushes are refused below it.' }),
    filling: Type.Boolean({ description: 'Whether less is free than `journal.diskWarnBytes`.' }),
  },
  { description: 'The disk of the data folder, or the fullest disk of Kafka.' },
)

const Failing = Type.Array(
  Type.Object({
    work: Type.String({ description: '`seal`, `judge`, `merge`, `drop` or `trim`.' }),
    since: Type.String({ format: 'date-time' }),
    failures: Type.Integer({ description: 'How often it failed since then.' }),
  }),
  { description: 'Work in the background that fails now and is tried again. The log says why.' },
)

const FailingNames = Type.Array(Type.String(), {
  description:
    'To who has no right `observe`, names alone: of work that fails now, and of parts that are away, fail or fill up.',
})

const Tls = Type.Object(
  {
    validUntil: Type.String({ format: 'date-time', description: 'Until when the certificate is valid.' }),
    refused: text('Why the files of the certificate, which changed, are not taken: the one before stays in force.'),
  },
  { description: 'Where the service speaks HTTPS itself.' },
)

const TimeZones = Type.Object(
  {
    version: Type.String({
      description: 'Of the tz database, such as `2026a`; `unknown` where its folder does not say it.',
    }),
    source: Type.String({ description: 'The folder they were read from, or `runtime`: those of Node.js.' }),
  },
  { description: 'The rules of time zones that all clocks follow (`server.timeZones`).' },
)

const Replica = Type.Object(
  {
    position: Type.Integer({ description: 'Rows that were accepted before this position are in the copy.' }),
    time: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'The copy has all that was on disk by then; null until it is whole.',
    }),
    lagMs: Type.Number({ description: 'For how long something has not been in the copy; 0 when it has everything.' }),
    lagBytes: Type.Integer({ description: 'Bytes of the journal that are not in the copy.' }),
    error: text('Why the copy cannot be written, as a sentence.'),
  },
  { description: 'The copy elsewhere, where `replica.url` is set.' },
)

const Part = Type.Object({ reachable: Type.Boolean() })

const Druid = Type.Object({
  reachable: Type.Boolean(),
  waiting: Type.Array(Type.String(), {
    description:
      "Entities that have rows and no slots of Druid's indexers, those that wait longest. Their rows cannot be queried yet.",
  }),
  waiting_entities: Type.Integer({ description: 'How many these are in all.' }),
})

export const ReadinessAnswer = Type.Object({
  ready: Type.Boolean({ description: 'Whether traffic may be sent here.' }),
  /** Of the embedded engine. */
  journal: Type.Optional(Journal),
  store: Type.Optional(Store),
  sql: Type.Optional(Sql),
  /** Of both. */
  setAside: Type.Optional(SetAside),
  disk: Type.Optional(Disk),
  failing: Type.Optional(Type.Union([Failing, FailingNames])),
  replica: Type.Optional(Replica),
  timeZones: Type.Optional(TimeZones),
  tls: Type.Optional(Tls),
  publicReading: Type.Optional(
    Type.String({ description: 'A warning, as a sentence: others than this machine read without a key.' }),
  ),
  cluster: Type.Optional(
    Type.Object(
      { kafka: Part, druid: Druid, postgres: Part },
      { description: 'On a cluster: which of its servers answer.' },
    ),
  ),
})

export type ReadinessAnswer = Static<typeof ReadinessAnswer>

/** What `/readyz` tells who may observe. `reason` says why the service is not ready, as a sentence. */
export interface Readiness extends Omit<ReadinessAnswer, 'failing'> {
  readonly reason: string | null
  readonly failing?: Static<typeof Failing>
}

/** What `/readyz` tells anyone: no path, no size and no text of an error. */
export function stateAlone(readiness: Readiness): { readonly ready: boolean; readonly failing: string[] } {
  const { ready, store, disk, replica, tls, cluster, failing = [] } = readiness
  const parts: readonly (readonly [string, boolean])[] = [
    ['store', store?.ready === false],
    ['disk', disk?.filling === true],
    ['replica', typeof replica?.error === 'string'],
    ['tls', typeof tls?.refused === 'string'],
    ['kafka', cluster?.kafka.reachable === false],
    ['druid', cluster?.druid.reachable === false],
    ['postgres', cluster?.postgres.reachable === false],
  ]
  return {
    ready,
    failing: [...failing.map(({ work }) => work), ...parts.flatMap(([name, fails]) => (fails ? [name] : []))],
  }
}
