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
          description: 'Bytes of an incomplete, never acknowledged last entry that were cut off.',
        }),
        tornFile: text('The file they were cut from.'),
      },
      { description: 'The findings when the journal was opened.' },
    ),
  },
  { additionalProperties: true },
)

const Store = Type.Object(
  {
    ready: Type.Boolean({ description: 'Whether queries are answered.' }),
    sealedPosition: Type.Integer({ description: 'Rows accepted before this position are in files.' }),
    files: Type.Integer({ description: 'The number of files.' }),
    rows: Type.Integer({ description: 'The rows in these files.' }),
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

const QuarantineState = Type.Object(
  {
    entries: Type.Integer({
      description: 'Pushes in quarantine because they crashed validation.',
    }),
    rows: Type.Integer({ description: 'Rows of these pushes that were not validated.' }),
  },
  { additionalProperties: true },
)

const Disk = Type.Object(
  {
    freeBytes: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The free space; null until it is known.',
    }),
    floorBytes: Type.Integer({ description: '`journal.diskFloorBytes`: pushes are refused below it.' }),
    filling: Type.Boolean({ description: 'Whether the free space is below `journal.diskWarnBytes`.' }),
  },
  { description: 'The disk of the data folder, or the fullest disk of Kafka.' },
)

const Failing = Type.Array(
  Type.Object({
    work: Type.String({ description: '`seal`, `validate`, `merge`, `drop` or `trim`.' }),
    since: Type.String({ format: 'date-time' }),
    failures: Type.Integer({ description: 'How often it failed since then.' }),
  }),
  { description: 'Background work that fails now and is tried again. The log says why.' },
)

const FailingNames = Type.Array(Type.String(), {
  description:
    'Without the right `observe`, only the names of failing work, and of parts that are unreachable, fail or fill up.',
})

const Tls = Type.Object(
  {
    validUntil: Type.String({ format: 'date-time', description: 'The expiry of the certificate.' }),
    refused: text('The reason why changed certificate files are not used: the previous certificate stays in use.'),
  },
  { description: 'The certificate, if the service serves HTTPS itself.' },
)

const TimeZones = Type.Object(
  {
    version: Type.String({
      description: 'The version of the tz database, such as `2026a`; `unknown` if its folder does not say.',
    }),
    source: Type.String({ description: 'The folder of the rules, or `runtime` for those of Node.js.' }),
  },
  { description: 'The time zone rules in use (`server.timeZones`).' },
)

const Replica = Type.Object(
  {
    position: Type.Integer({ description: 'Rows accepted before this position are in the replica.' }),
    time: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'The replica has all data that was on disk by this time; null until the replica is complete.',
    }),
    lagMs: Type.Number({
      description: 'The age of the oldest data that is not in the replica yet; 0 if it has everything.',
    }),
    lagBytes: Type.Integer({ description: 'Bytes of the journal that are not in the replica yet.' }),
    error: text('The reason why the replica cannot be written, as a sentence.'),
  },
  { description: 'The replica, if `replica.url` is set.' },
)

const Part = Type.Object({ reachable: Type.Boolean() })

const Druid = Type.Object({
  reachable: Type.Boolean(),
  waiting: Type.Array(Type.String(), {
    description:
      "Entities whose rows cannot be queried yet because no slots of Druid's indexers are free, longest wait first.",
  }),
  waiting_entities: Type.Integer({ description: 'The number of all such entities.' }),
})

export const ReadinessAnswer = Type.Object({
  ready: Type.Boolean({ description: 'Whether traffic may be sent here.' }),
  /** Only with the embedded engine. */
  journal: Type.Optional(Journal),
  store: Type.Optional(Store),
  sql: Type.Optional(Sql),
  /** With the embedded engine or on a cluster. */
  quarantine: Type.Optional(QuarantineState),
  disk: Type.Optional(Disk),
  failing: Type.Optional(Type.Union([Failing, FailingNames])),
  replica: Type.Optional(Replica),
  timeZones: Type.Optional(TimeZones),
  tls: Type.Optional(Tls),
  publicReading: Type.Optional(
    Type.String({ description: 'A warning, as a sentence: other machines can read without a key.' }),
  ),
  cluster: Type.Optional(
    Type.Object(
      { kafka: Part, druid: Druid, postgres: Part },
      { description: 'On a cluster: whether its servers answer.' },
    ),
  ),
})

export type ReadinessAnswer = Static<typeof ReadinessAnswer>

/** The response of `/readyz` to observers. `reason` states why the service is not ready, as a sentence. */
export interface Readiness extends Omit<ReadinessAnswer, 'failing'> {
  readonly reason: string | null
  readonly failing?: Static<typeof Failing>
}

/** The public response of `/readyz`: no paths, sizes or error texts. */
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
