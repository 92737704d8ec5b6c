import { describe, expect, test } from 'vitest'
import { SettingsError } from '../model/settings-error.ts'
import { ignoredVariables, loadSettings, type SettingSources } from './load.ts'
import { environmentName, flagName, settingEntries } from './settings.ts'
import { settingsInForce } from './settings-in-force.ts'

const nothing: SettingSources = { flags: {}, environment: {}, file: null }
const file = (content: unknown): SettingSources['file'] => ({ path: 'tidemark.json', text: JSON.stringify(content) })

test('without any source all settings have their defaults', () => {
  const settings = loadSettings(nothing)
  expect(settings).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    data: './data',
    adminKey: null,
    access: { consumption: 'key', metrics: null },
    limits: { ingestBodyBytes: 16_777_216, resultRows: 1_000_000, queryTimeMs: 60_000, waitingQueries: 100 },
    cors: { origins: [] },
    server: { basePath: '', trustProxy: false, shutdownMs: 10_000 },
    log: { level: 'info', format: 'auto' },
  })
})

test('with small=true, settings that are not given use their small default', () => {
  const given = { flags: { small: 'true' }, environment: { TIDEMARK_STORE_HEAD_ROWS: '1000000' }, file: null }
  const settings = loadSettings(given)
  expect(settings).toMatchObject({ small: true, store: { headRows: 1_000_000, pageCacheBytes: 8_388_608 }, port: 8080 })
  expect(loadSettings({ ...given, flags: { small: 'false' } }).store.pageCacheBytes).toBe(134_217_728)
  const inForce = new Map(settingsInForce(settings).map(({ setting, usual }) => [setting, usual]))
  expect(inForce.get('store.headRows')).toBe(false)
  expect(inForce.get('store.pageCacheBytes')).toBe(true)
})

test('each small default is a valid value below the usual default', () => {
  for (const [name, { small, default: usual, read }] of settingEntries) {
    if (small === undefined) continue
    expect(read(small, 'json'), name).toEqual({ value: small })
    expect(small, name).toBeLessThan(Number(usual))
  }
})

test('a flag overrides the environment, which overrides the file', () => {
  const sources: SettingSources = {
    flags: { port: '1' },
    environment: { TIDEMARK_PORT: '2', TIDEMARK_HOST: '0.0.0.0', TIDEMARK_LIMITS_BUCKETS: '7' },
    file: file({ port: 3, host: '::', data: '/var/lib/tidemark', limits: { buckets: 8, resultRows: 9 } }),
  }
  expect(loadSettings(sources)).toMatchObject({
    port: 1,
    host: '0.0.0.0',
    data: '/var/lib/tidemark',
    limits: { buckets: 7, resultRows: 9 },
  })
})

describe('accepts', () => {
  test.each<[string, Partial<SettingSources>, object]>([
    ['a dotted name in the file', { file: file({ 'limits.buckets': 5 }) }, { limits: { buckets: 5 } }],
    ['null in the file, as not given', { file: file({ port: null }) }, { port: 8080 }],
    [
      'an empty variable, as not given',
      { environment: { TIDEMARK_PORT: '', TIDEMARK_ADMIN_KEY: '' } },
      { port: 8080, adminKey: null },
    ],
    [
      'a list in a variable',
      { environment: { TIDEMARK_CORS_ORIGINS: 'https://a.example, http://b.example:8080' } },
      { cors: { origins: ['https://a.example', 'http://b.example:8080'] } },
    ],
    ['a list in the file', { file: file({ cors: { origins: ['*'] } }) }, { cors: { origins: ['*'] } }],
    ['true in a variable', { environment: { TIDEMARK_KAFKA_TLS: 'true' } }, { kafka: { tls: true } }],
    ['true in the file', { file: file({ kafka: { tls: true } }) }, { kafka: { tls: true } }],
    ['a choice', { flags: { 'access.consumption': 'public' } }, { access: { consumption: 'public', metrics: null } }],
    ['a base path', { flags: { 'server.basePath': '/a/b-c' } }, { server: { basePath: '/a/b-c' } }],
    ['port 0', { flags: { port: '0' } }, { port: 0 }],
    ['an admin key', { environment: { TIDEMARK_ADMIN_KEY: 'x'.repeat(24) } }, { adminKey: 'x'.repeat(24) }],
    ['a password', { environment: { TIDEMARK_KAFKA_PASSWORD: 'x' } }, { kafka: { password: 'x' } }],
    [
      'unrelated variables, which are ignored',
      { environment: { TIDEMARK_URL: 'x', TIDEMARK_KEY: 'y', PATH: 'z' } },
      { port: 8080 },
    ],
  ])('%s', (_name, sources, expected) => {
    expect(loadSettings({ ...nothing, ...sources })).toMatchObject(expected)
  })
})

describe('refuses', () => {
  const port = 'must be a whole number from 0 to 65535'
  test.each<[Partial<SettingSources>, string[]]>([
    [{ flags: { port: 'abc' } }, [`port (from the flag --port) ${port} and not "abc".`]],
    [{ flags: { port: '65536' } }, [`port (from the flag --port) ${port} and not "65536".`]],
    [
      { environment: { TIDEMARK_PORT: '1.5' } },
      [`port (from the environment variable TIDEMARK_PORT) ${port} and not "1.5".`],
    ],
    [{ file: file({ port: '80' }) }, [`port (from the file tidemark.json) ${port} and not "80".`]],
    [
      { environment: { TIDEMARK_LIMITS_RESULT_ROWS: '-1' } },
      [
        'limits.resultRows (from the environment variable TIDEMARK_LIMITS_RESULT_ROWS) must be a whole number of rows from 1 to 1000000000 and not "-1".',
      ],
    ],
    [
      { environment: { TIDEMARK_LIMITS_RESULT_ROW: '1' } },
      [
        'The environment variable TIDEMARK_LIMITS_RESULT_ROW is not a setting. Did you mean TIDEMARK_LIMITS_RESULT_ROWS?',
      ],
    ],
    [{ file: file({ limits: { rows: 1 } }) }, ['limits.rows (from the file tidemark.json) is not a setting.']],
    [
      { file: file({ limits: { resultRow: 1 } }) },
      ['limits.resultRow (from the file tidemark.json) is not a setting. Did you mean limits.resultRows?'],
    ],
    [
      { file: file({ limts: { resultRows: 1, checkRows: 2 }, Limits: { rows: 3 } }) },
      [
        'limts (from the file tidemark.json) is not a group of settings. Did you mean limits?',
        'Limits (from the file tidemark.json) is not a group of settings. Did you mean limits?',
      ],
    ],
    [{ file: file({ nothing: { a: 1 } }) }, ['nothing (from the file tidemark.json) is not a group of settings.']],
    [
      { file: file({ limts: 5, prot: 1 }) },
      [
        'limts (from the file tidemark.json) is not a setting. Did you mean limits?',
        'prot (from the file tidemark.json) is not a setting. Did you mean port?',
      ],
    ],
    [
      { file: file({ limits: 5 }) },
      ['limits (from the file tidemark.json) is a group of settings: write it as {"limits": {...}}.'],
    ],
    [{ file: file([]) }, ['The file tidemark.json must hold one JSON object.']],
    ...['two words, and more of them', 'ein-Schlüssel-der-lang-ist', 'x'.repeat(23)].map(
      (key): [Partial<SettingSources>, string[]] => [
        { environment: { TIDEMARK_ADMIN_KEY: key } },
        [
          'adminKey (from the environment variable TIDEMARK_ADMIN_KEY) must be at least 24 printable ASCII characters without spaces, such as `openssl rand -base64 24` makes.',
        ],
      ],
    ),
    [
      { flags: { 'access.consumption': 'open', 'server.basePath': '/a/' } },
      [
        'access.consumption (from the flag --access-consumption) must be public or key and not "open".',
        'server.basePath (from the flag --server-base-path) must be a path such as /tidemark, with no slash at its end and not "/a/".',
      ],
    ],
    [
      { environment: { TIDEMARK_CORS_ORIGINS: 'portal.example' } },
      [
        'cors.origins (from the environment variable TIDEMARK_CORS_ORIGINS) must be a list of origins such as https://portal.example, or * and not "portal.example".',
      ],
    ],
  ])('%j', (sources, sentences) => {
    expect(refusalsOf({ ...nothing, ...sources })).toEqual(sentences)
  })

  test('a file that is not JSON', () => {
    expect(refusalsOf({ ...nothing, file: { path: 'a.json', text: '{port: 1}' } })).toEqual([
      expect.stringMatching(/^The file a\.json is not JSON: /),
    ])
  })
})

function refusalsOf(sources: SettingSources): readonly string[] {
  try {
    loadSettings(sources)
  } catch (error) {
    if (error instanceof SettingsError) return error.sentences
    throw error
  }
  return []
}

test.each([
  ['host', 'TIDEMARK_HOST', '--host'],
  ['adminKey', 'TIDEMARK_ADMIN_KEY', '--admin-key'],
  ['limits.resultRows', 'TIDEMARK_LIMITS_RESULT_ROWS', '--limits-result-rows'],
  ['server.trustProxy', 'TIDEMARK_SERVER_TRUST_PROXY', '--server-trust-proxy'],
])('%s is set by the variable %s and the flag %s', (name, variable, flag) => {
  expect([environmentName(name), flagName(name)]).toEqual([variable, flag])
})

test('every default is a valid value of its setting', () => {
  const strays = settingEntries.filter(
    ([, setting]) =>
      setting.default !== null && setting.default !== '' && !('value' in setting.read(setting.default, 'json')),
  )
  expect(strays).toEqual([])
})

describe('engine=cluster', () => {
  const whole = {
    TIDEMARK_ENGINE: 'cluster',
    TIDEMARK_KAFKA_BROKERS: 'kafka-1:9092,kafka-2:9092',
    TIDEMARK_DRUID_ROUTER: 'http://druid:8888',
    TIDEMARK_POSTGRES_URL: 'postgres://tidemark@postgres/tidemark',
  }
  const { TIDEMARK_DRUID_ROUTER: _, ...withoutDruid } = whole

  test.each<[environment: Record<string, string>, sentences: RegExp[]]>([
    [{ TIDEMARK_ENGINE: 'cluster' }, [/needs kafka\.brokers/, /needs druid\.router/, /needs postgres\.url/]],
    [{ ...whole, TIDEMARK_KAFKA_BROKERS: '' }, [/needs kafka\.brokers/]],
    [{ ...withoutDruid, TIDEMARK_DRUID_BROKER: 'http://druid:8082' }, [/druid\.broker and druid\.overlord/]],
    [{ TIDEMARK_ROLE: 'api' }, [/role is for engine=cluster/]],
    [{ ...whole, TIDEMARK_LIMITS_INGEST_BODY_BYTES: '67108865' }, [/more than Kafka accepts: .* set 67108864 or less/]],
  ])('refuses %j', (environment, sentences) => {
    const load = () => loadSettings({ flags: {}, environment, file: null })
    for (const sentence of sentences) expect(load).toThrow(sentence)
  })

  test('accepts complete settings, with a Druid router or with a broker and an overlord', () => {
    const environment = { ...withoutDruid, TIDEMARK_DRUID_BROKER: 'http://b:1', TIDEMARK_DRUID_OVERLORD: 'http://o:1' }
    expect(loadSettings({ flags: {}, environment: whole, file: null }).kafka.brokers).toHaveLength(2)
    expect(loadSettings({ flags: {}, environment, file: null }).engine).toBe('cluster')
  })
})

test('refuses a replica.keep shorter than replica.catalogMs, if there is a replica', () => {
  const load = (flags: Record<string, string>) => () => loadSettings({ flags, environment: {}, file: null })
  const flags = { 'replica.url': 'file:///mnt/copy', 'replica.keep': 'PT30S' }
  expect(load(flags)).toThrow('replica.keep (PT30S) is 30000 ms, but must be at least 60000 ms')
  expect(load({ ...flags, 'replica.keep': 'P0D' })).toThrow('is 0 ms')
  expect(load({ ...flags, 'replica.catalogMs': '30000' })).not.toThrow()
  expect(load({ 'replica.keep': 'PT30S' })).not.toThrow()
})

describe('variables that begin with TIDEMARK_ and are not settings', () => {
  test.each<[name: string, refused: string]>([
    ['TIDEMARK_ACCESS', 'is a group of settings: give one of its settings, such as TIDEMARK_ACCESS_CONSUMPTION.'],
    ['TIDEMARK_ACESS_METRICS', 'is not a setting. Did you mean TIDEMARK_ACCESS_METRICS?'],
    ['TIDEMARK_LIMTS_RESULT_ROWS', 'is not a setting. Did you mean TIDEMARK_LIMITS_RESULT_ROWS?'],
    ['TIDEMARK_PROT', 'is not a setting. Did you mean TIDEMARK_PORT?'],
    ['TIDEMARK_ADMINKEY', 'is not a setting. Did you mean TIDEMARK_ADMIN_KEY?'],
    ['TIDEMARK_port', 'is not a setting. Did you mean TIDEMARK_PORT?'],
    ['TIDEMARK_LIMITS_ROWS', 'is not a setting.'],
  ])('%s is refused because it resembles a setting', (name, refused) => {
    const environment = { [name]: '5' }
    expect(refusalsOf({ ...nothing, environment })).toEqual([`The environment variable ${name} ${refused}`])
    expect(ignoredVariables(environment)).toEqual([])
  })

  test.each<[name: string, likely: string]>([
    ['TIDEMARK_NOTHING', ''],
    ['TIDEMARK_HOME', ''],
    ['TIDEMARK_ACESS', ' Did you mean TIDEMARK_ACCESS_...?'],
    ['TIDEMARK_ACESS_RULE', ' Did you mean TIDEMARK_ACCESS_...?'],
  ])('%s is reported as ignored', (name, likely) => {
    const environment = { [name]: '' }
    expect(ignoredVariables(environment)).toEqual([
      `The environment variable ${name} is not a setting, and is ignored.${likely}`,
    ])
    expect(refusalsOf({ ...nothing, environment })).toEqual([])
  })

  test('variables of commands, tests and Kubernetes are not reported', () => {
    const names = [
      ...['PATH', 'PROT', 'TIDEMARK_', 'TIDEMARK_URL', 'TIDEMARK_KEY', 'TIDEMARK_CONFIG', 'TIDEMARK_SOURCE_KEY'],
      ...['TIDEMARK_MQTT_PASSWORD', 'TIDEMARK_TEST_SEED', 'TIDEMARK_CRASH_ROUNDS', 'TIDEMARK_S3_ROUNDS'],
      ...['TIDEMARK_SERVICE_HOST', 'TIDEMARK_SERVICE_PORT_HTTP', 'TIDEMARK_PORT_8080_TCP', 'TIDEMARK_PORT_80_TCP_ADDR'],
      ...['TIDEMARK_2_PORT', 'TIDEMARK_2_SERVICE_HOST', 'TIDEMARK_B_PORT_8080_TCP_PROTO'],
    ]
    const environment = Object.fromEntries(names.map((name) => [name, '1']))
    expect([refusalsOf({ ...nothing, environment }), ignoredVariables(environment)]).toEqual([[], []])
  })
})
