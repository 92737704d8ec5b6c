// The house rules that a machine can check: who may import whom, no cycles, no attics, documents that name what exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = normalize(join(dirname(fileURLToPath(import.meta.url)), '..'))

function filesUnder(directory: string, ending: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name))
}

const sources = filesUnder('src', '.ts')
const portal = [...filesUnder('portal/src', '.ts'), ...filesUnder('portal/src', '.tsx')]
const production = [...sources, ...portal].filter((file) => !file.endsWith('.test.ts'))

interface Import {
  readonly from: string
  /** A file of ours, or the name of a package. */
  readonly to: string
}

const importExpression = /^(?:import|export)\s[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(importExpression)].map((match) => {
    const to = match[1] ?? match[2] ?? match[3] ?? ''
    return { from: file, to: to.startsWith('.') ? relative(root, join(root, dirname(file), to)) : packageName(to) }
  })
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node'
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

const ports = [
  'src/journal/journal.ts',
  'src/journal/lane-position.ts',
  'src/store/series-store.ts',
  'src/catalog/catalog.ts',
  'src/catalog/manifest.ts',
  'src/catalog/definitions.ts',
  'src/catalog/lanes.ts',
  'src/catalog/set-aside.ts',
  'src/catalog/rejected.ts',
  'src/catalog/push-keys.ts',
  'src/catalog/cluster-catalog.ts',
  'src/query/plan-runner.ts',
  'src/sql-engine/sql-engine.ts',
  'src/sql-engine/entity-table.ts',
]
const words = ['src/model/', 'src/lib/']

/** The first line whose folder a file lies in says what it may import. */
const mayImport: readonly (readonly [folder: string, allowed: readonly string[]])[] = [
  ['src/model/', ['src/model/']],
  ['src/lib/', ['src/lib/']],
  ['src/config/', words],
  ['src/observe/', words],
  ['src/kafka/', words],
  ['src/journal/file/', ['src/journal/journal.ts', 'src/journal/record.ts', ...words, 'src/observe/']],
  [
    'src/journal/kafka/',
    [
      'src/journal/journal.ts',
      'src/journal/record.ts',
      'src/journal/lane-position.ts',
      'src/kafka/',
      ...words,
      'src/observe/',
    ],
  ],
  [
    'src/store/embedded/upkeep/',
    ['src/store/embedded/', 'src/catalog/catalog.ts', 'src/catalog/manifest.ts', ...words, 'src/observe/'],
  ],
  [
    'src/store/embedded/',
    ['src/store/series-store.ts', 'src/store/limits.ts', 'src/catalog/manifest.ts', ...words, 'src/observe/'],
  ],
  ['src/druid-client/', ['src/sql-engine/sql-engine.ts', ...words]],
  [
    'src/store/druid/upkeep/',
    [
      'src/store/druid/',
      'src/kafka/rows-topics.ts',
      'src/catalog/catalog.ts',
      'src/catalog/slot-waits.ts',
      ...words,
      'src/observe/',
    ],
  ],
  [
    'src/store/druid/',
    ['src/store/series-store.ts', 'src/store/limits.ts', 'src/druid-client/', ...words, 'src/observe/'],
  ],
  ['src/catalog/', ['src/catalog/', 'src/journal/lane-position.ts', ...words, 'src/observe/']],
  ['src/journal/', ['src/journal/', ...words, 'src/observe/']],
  ['src/sql-engine/duckdb/', ['src/sql-engine/sql-engine.ts', ...words, 'src/observe/']],
  ['src/sql-engine/', words],
  ['src/store/', words],
  ['src/access/', [...words, 'src/observe/', ...ports]],
  ['src/admin/', [...words, 'src/observe/', ...ports]],
  // What a pusher is told before he pushes is told by a check too.
  ['src/ingest/further-faults.ts', [...words, 'src/file-push/foreseen-fault.ts', ...ports]],
  ['src/ingest/', [...words, 'src/observe/', ...ports]],
  ['src/metadata/', [...words, 'src/observe/', ...ports]],
  [
    'src/lanes/',
    [
      ...words,
      'src/observe/',
      'src/ingest/',
      'src/kafka/',
      'src/answer/text/text-columns.ts',
      'src/store/druid/druid-store.ts',
      ...ports,
    ],
  ],
  ['src/object-store/', ['src/object-store/object-store.ts', ...words]],
  [
    'src/replica/',
    [...words, 'src/observe/', 'src/object-store/object-store.ts', 'src/journal/file/segment-header.ts', ...ports],
  ],
  ['src/druid-time/', words],
  ['src/druid-patterns/', words],
  ['src/admission/', words],
  ['src/answer/', [...words, 'src/store/series-store.ts', 'src/druid-time/zone.ts']],
  ['src/query/', [...words, 'src/observe/', 'src/admission/', 'src/answer/', ...ports]],
  ['src/druid-sql/', [...words, 'src/admission/', 'src/answer/', 'src/druid-time/', 'src/druid-patterns/', ...ports]],
  [
    'src/druid-native/',
    [...words, 'src/admission/', 'src/answer/', 'src/druid-time/', 'src/druid-patterns/', ...ports],
  ],
  [
    'src/avatica/',
    [
      ...words,
      'src/observe/',
      'src/admission/reader.ts',
      'src/answer/whole-answer.ts',
      'src/druid-sql/',
      'src/druid-time/',
    ],
  ],
  [
    'src/http/',
    [
      ...words,
      'src/observe/',
      'src/access/',
      'src/avatica/',
      'src/admin/',
      'src/ingest/',
      'src/metadata/',
      'src/query/',
      'src/druid-sql/',
      'src/druid-native/',
      'src/admission/reader.ts',
      'src/answer/',
      'src/catalog/definitions.ts',
    ],
  ],
  // Its types are those of the schemas; none of their code comes with them.
  [
    'src/client/answers.ts',
    [
      'src/access/subscriptions.ts',
      'src/admin/backup-list.ts',
      'src/admin/backups.ts',
      'src/admin/entities.ts',
      'src/admin/ingest-schemas.ts',
      'src/admin/own-ingest.ts',
      'src/admin/rejected-schemas.ts',
      'src/admin/replay-schemas.ts',
      'src/admin/set-aside.ts',
      'src/admin/setting-schemas.ts',
      'src/admin/storage.ts',
      'src/admin/subscriber-schemas.ts',
      'src/http/readiness.ts',
      'src/http/routes/push-schemas.ts',
      'src/http/service-answer.ts',
      'src/metadata/schemas.ts',
      'src/model/page.ts',
      'src/query/responses.ts',
    ],
  ],
  ['src/client/', words],
  ['src/mqtt/', ['src/client/', ...words]],
  ['src/cli/mqtt.ts', ['src/mqtt/', 'src/client/', 'src/cli/', ...words]],
  ['src/cli/serve.ts', ['src/service/serve.ts', 'src/config/', 'src/cli/', ...words]],
  ['src/cli/restore.ts', ['src/admin/restore.ts', 'src/service/copies.ts', 'src/cli/', ...words]],
  ['src/cli/accept-loss.ts', ['src/service/accept-loss.ts', 'src/config/', 'src/cli/', ...words]],
  ['src/cli/verify.ts', ['src/service/verify-data.ts', 'src/service/copies.ts', 'src/config/', 'src/cli/', ...words]],
  // Rows of a file as pushes, for the command line and for a browser.
  ['src/file-push/', ['src/client/', 'src/druid-time/zone.ts', ...words]],
  ['src/cli/', ['src/client/', 'src/file-push/', ...words]],
  ['src/main.ts', ['src/cli/']],
  // Pages know the service by its interface alone.
  ['portal/src/parts/', ['portal/src/parts/', 'portal/src/shell/', 'src/client/', ...words]],
  ['portal/src/', ['portal/src/', 'src/client/', 'src/file-push/', ...words]],
  [
    'src/service/serve.ts',
    [
      'src/service/start-service.ts',
      'src/service/first-steps.ts',
      'src/service/heap-growth.ts',
      'src/service/compile-cache.ts',
      'src/store-thread/main-side/heap-floor.ts',
      'src/config/',
      'src/observe/',
      ...words,
    ],
  ],
  // The roots of composition name every adapter, each on its own side.
  [
    'src/service/cluster/',
    [
      ...words,
      'src/config/',
      'src/observe/',
      'src/service/',
      'src/access/',
      'src/admin/',
      'src/admission/',
      'src/catalog/',
      'src/druid-client/',
      'src/druid-native/cluster-native-queries.ts',
      'src/druid-sql/',
      'src/http/',
      'src/ingest/',
      'src/journal/',
      'src/kafka/',
      'src/lanes/',
      'src/query/',
      'src/store/series-store.ts',
      'src/store/druid/',
    ],
  ],
  [
    'src/service/',
    [
      ...words,
      'src/config/',
      'src/observe/',
      'src/access/',
      'src/admin/',
      'src/admission/',
      'src/answer/',
      'src/avatica/avatica.ts',
      'src/catalog/',
      'src/druid-native/native-queries.ts',
      'src/druid-sql/describe-sql.ts',
      'src/druid-sql/sql-queries.ts',
      'src/http/',
      'src/ingest/',
      'src/journal/',
      'src/metadata/',
      'src/object-store/',
      'src/query/',
      'src/replica/',
      'src/sql-engine/',
      'src/sql-process/',
      'src/store-thread/',
      'src/store/embedded/',
    ],
  ],
  [
    'src/store-thread/worker-side/run-store-thread.ts',
    [
      ...words,
      'src/observe/',
      'src/answer/spool.ts',
      'src/catalog/',
      'src/ingest/',
      'src/journal/',
      'src/store-thread/',
      'src/store/embedded/',
    ],
  ],
  [
    'src/store-thread/',
    [
      ...words,
      'src/observe/',
      'src/config/settings.ts',
      'src/answer/',
      'src/query/run-plan.ts',
      'src/druid-native/native-queries.ts',
      'src/druid-native/plan/',
      'src/druid-sql/sql-queries.ts',
      'src/druid-sql/plan/',
      'src/ingest/pipeline.ts',
      'src/ingest/progress.ts',
      'src/store/embedded/upkeep/upkeep.ts',
      'src/store/embedded/deltas/snapshots.ts',
      'src/store/embedded/sealed/damaged-file.ts',
      ...ports,
    ],
  ],
  [
    'src/sql-process/',
    [
      ...words,
      'src/answer/',
      'src/sql-engine/',
      'src/store/embedded/sealed/blocking-file.ts',
      'src/store/embedded/sealed/check-bytes.ts',
      'src/store/embedded/sealed/damaged-file.ts',
      'src/druid-sql/sql-queries.ts',
      'src/druid-native/native-queries.ts',
      'src/druid-native/parse/',
      'src/druid-native/run/',
    ],
  ],
]

/** Where each vendor's package may be imported: one adapter, one place to change. */
const vendors: Readonly<Record<string, readonly string[]>> = {
  '@platformatic/kafka': ['src/kafka/'],
  '@aws-sdk/client-s3': ['src/object-store/s3/'],
  'mqtt-packet': ['src/mqtt/packets/'],
  '@bufbuild/protobuf': ['src/lib/protobuf/', 'src/avatica/protobuf/'],
  '@duckdb/node-api': ['src/sql-engine/duckdb/'],
  '@photostructure/sqlite': ['src/catalog/sqlite/'],
  kysely: ['src/catalog/'],
  pg: ['src/catalog/postgres/'],
  fastify: ['src/http/'],
  '@fastify/cors': ['src/http/'],
  '@fastify/swagger': ['src/http/'],
  '@fastify/swagger-ui': ['src/http/'],
  '@fastify/type-provider-typebox': ['src/http/'],
  typebox: [
    'src/http/',
    'src/query/',
    'src/druid-sql/',
    'src/druid-native/',
    'src/metadata/',
    'src/ingest/',
    'src/admin/',
    'src/access/',
    'src/config/',
  ],
  commander: ['src/cli/'],
  pino: ['src/observe/'],
  'pino-pretty': ['src/observe/'],
  'prom-client': ['src/observe/'],
  preact: ['portal/src/'],
  uplot: ['portal/src/parts/chart.tsx'],
  ...Object.fromEntries(
    ['autocomplete', 'commands', 'lang-sql', 'language', 'lint', 'state', 'view']
      .map((part) => `@codemirror/${part}`)
      .concat('@lezer/highlight')
      .map((name) => [name, ['portal/src/parts/editor.ts']]),
  ),
}

const isOurs = (to: string): boolean => to.startsWith('src/') || to.startsWith('portal/src/')

function isWithin(file: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place))
}

function isOwnFolder(from: string, to: string, folder: string): boolean {
  return folder.endsWith('/') && to.startsWith(folder) && from.startsWith(folder)
}

test('every folder imports only what the table allows', () => {
  const strays = production.flatMap(importsOf).filter(({ from, to }) => {
    if (!isOurs(to)) return false
    const rule = mayImport.find(([folder]) => isWithin(from, [folder]))
    if (rule === undefined) return true
    const [folder, allowed] = rule
    return !isOwnFolder(from, to, folder) && !isWithin(to, allowed)
  })
  expect(strays).toEqual([])
})

test('the client takes types of the service, and none of its code', () => {
  const text = readFileSync(join(root, 'src/client/answers.ts'), 'utf8')
  expect(text.match(/^import (?!type ).*|^export (?!type |interface ).*/gm)).toBe(null)
})

test('what the portal takes of the service runs in a browser', () => {
  const seen = new Set(portal.filter((file) => !file.endsWith('.test.ts')))
  for (const file of seen) {
    const text = readFileSync(join(root, file), 'utf8')
    const running = text.replace(/^import type [\s\S]*?from '[^']*'/gm, '')
    for (const [, to] of running.matchAll(/^(?:import|export)\s[^'"]*?from\s+'(\.[^']+\.tsx?)'/gm)) {
      seen.add(relative(root, join(root, dirname(file), to!)))
    }
  }
  const strays = [...seen].filter((file) => /\bBuffer\b|\bsetImmediate\b|(?<!\{)\bprocess\.|'node:/.test(codeOf(file)))
  expect(strays).toEqual([])
})

test('a package is imported only where its adapter is', () => {
  const strays = production
    .flatMap(importsOf)
    .filter(({ from, to }) => !isOurs(to) && to !== 'node' && !isWithin(from, vendors[to] ?? []))
  expect(strays).toEqual([])
})

test('there is no cycle', () => {
  const edges = new Map(production.map((file) => [file, importsOf(file).map(({ to }) => to)]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (done.has(file) || path.includes(file)) return
    for (const next of edges.get(file) ?? []) if (edges.has(next)) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of production) visit(file, [])
  expect(cycles).toEqual([])
})

test('no file is an attic, a barrel or a mock of a module', () => {
  const named = [...sources, ...portal].filter((file) =>
    /(^|\/)(utils?|helpers?|common|shared|misc|index)(\.|\/)/.test(file),
  )
  expect(named).toEqual([])
  const mocking = [...sources, ...filesUnder('test', '.ts')].filter((file) =>
    /vi\.(mock|doMock)\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(mocking).toEqual([])
})

/** Lines a file may have. One that must be longer is named here with its reason, and may only shrink. */
const linesMax = 300
const longer: Readonly<Record<string, number>> = {}

test('files stay short', () => {
  const long = production
    .map((file) => [file, readFileSync(join(root, file), 'utf8').split('\n').length - 1] as const)
    .filter(([file, lines]) => lines > (longer[file] ?? linesMax))
  expect(long).toEqual([])
})

/** Folders that write SQL: none of them lets a caller's text into it. */
const writers = [
  'src/catalog/',
  'src/sql-engine/',
  'src/druid-client/',
  'src/druid-sql/',
  'src/avatica/metadata-sql.ts',
  'src/druid-native/',
  'src/druid-time/',
  'src/druid-patterns/',
  'src/cli/sql.ts',
  // For a caller to read, not to run.
  'src/metadata/attribute-sql.ts',
  'portal/src/pages/sql/query.tsx',
]

test('SQL is written only by the catalog and for the SQL engine', () => {
  const strays = production.filter(
    (file) => !isWithin(file, writers) && /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+[\w"*]/.test(codeOf(file)),
  )
  expect(strays).toEqual([])
})

/** A file without its comments, which may speak of anything. */
function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

test('a word is looked up in a Map', () => {
  // A plain object knows `constructor` and `toString` too, whatever it was written to hold.
  const strays = production.filter((file) =>
    /^(export )?const \w+: (Readonly<)?Record<string, .*= \{/m.test(codeOf(file)),
  )
  expect(strays).toEqual([])
})

test('documents name only files that exist', () => {
  const documents = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...filesUnder('docs', '.md')]
  const missing = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8')
    const paths = [...text.matchAll(/`((?:src|test|docs|bench|scripts|portal)\/[\w./-]*)`/g)].map((match) => match[1]!)
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) =>
      join(dirname(document), match[1]!),
    )
    return [...paths, ...links].filter((path) => !existsSync(join(root, path))).map((path) => `${document}: ${path}`)
  })
  expect(missing).toEqual([])
})

interface LockedPackage {
  readonly dev?: boolean
  readonly engines?: { readonly node?: string }
}

test('no package of the lockfile refuses Node 20, so npm ci warns of none', () => {
  // Two packages ask for 22.19 without need. Their engines are taken out of the lockfile by hand, and npm puts them back when it writes it.
  const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const refusing = Object.entries(lock.packages).filter(([, { engines }]) => /^>=? ?2[1-9]/.test(engines?.node ?? ''))
  expect(refusing.map(([name]) => name)).toEqual([])
})

/** Folders that answer the same in two ways: equal names say so. */
const twins: readonly (readonly string[])[] = [
  ['src/store/druid/', 'src/store/embedded/'],
  ['src/druid-sql/', 'src/druid-native/'],
]
/** The client's types are those of the schemas, under their names. Migrations name tables. The portal is a program of its own. */
const declaring = production.filter(
  (file) => file.startsWith('src/') && !isWithin(file, ['src/client/answers.ts', 'src/catalog/migrations/']),
)
const declaration = /^export (?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let) (\w+)/gm

function areTwins(files: readonly string[], pairs = twins): boolean {
  return (
    files.length === 2 &&
    pairs.some((folders) => folders.every((folder) => files.some((file) => file.startsWith(folder))))
  )
}

/** Files under these stand beside others of their names: a command, a route, a table or what an operator does with it. */
const mirrors = ['src/cli/', 'src/http/routes/', 'src/catalog/repositories/', 'src/admin/']
const sides: readonly (readonly string[])[] = [...twins, ['src/store-thread/', 'src/sql-process/']]

test('a second file of a name stands where folders mirror each other', () => {
  const places = new Map<string, string[]>()
  for (const file of declaring.filter((file) => !mirrors.includes(`${dirname(file)}/`)))
    places.set(basename(file), [...(places.get(basename(file)) ?? []), file])
  const again = [...places.values()].filter((files) => files.length > 1 && !areTwins(files, sides))
  expect(again).toEqual([])
})

test('no exported name is declared twice', () => {
  const places = new Map<string, string[]>()
  for (const file of declaring) {
    const names = new Set([...codeOf(file).matchAll(declaration)].map((match) => match[1]!))
    for (const name of names) places.set(name, [...(places.get(name) ?? []), file])
  }
  expect([...places].filter(([, files]) => files.length > 1 && !areTwins(files))).toEqual([])
})

test('comments name only files that exist', () => {
  const all = [
    ...sources,
    ...filesUnder('test', ''),
    ...filesUnder('docs', '.md'),
    ...filesUnder('bench', '.ts'),
    ...filesUnder('scripts', '.mjs'),
  ]
  const names = new Set(all.map((file) => basename(file)))
  const isThere = (path: string): boolean => existsSync(join(root, path)) || names.has(basename(path))
  const missing = all
    .filter((file) => /\.(ts|mjs)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const comments = text.match(/(?<=^|\s)\/\/ .*$|\/\*\*?[\s\S]*?\*\//gm) ?? []
      const named = comments.join(' ').match(/[\w./-]+\.(?:ts|mjs|md)\b/g) ?? []
      return named.filter((path) => !isThere(path)).map((path) => `${file}: ${path}`)
    })
  expect(missing).toEqual([])
})

/** Lines of a folder from which on there is something in it to test. */
const testedLinesMin = 100

test('a folder has its tests beside it, or says where they are', () => {
  const untested = [...new Set(production.map((file) => dirname(file)))].filter((folder) => {
    const own = sources.filter((file) => dirname(file) === folder)
    if (own.some((file) => file.endsWith('.test.ts'))) return false
    const text = own.map((file) => readFileSync(join(root, file), 'utf8')).join('')
    if (text.split('\n').length < testedLinesMin) return false
    const told = [...text.matchAll(/^\/\/ Tested by `([^`]+)`\.$/gm)].map((match) => match[1]!)
    return told.length === 0 || told.some((path) => !existsSync(join(root, path)))
  })
  expect(untested).toEqual([])
})
