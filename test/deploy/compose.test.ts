// deploy/compose.yaml without containers: everything that it names exists, and each program accepts its service's settings.
import { describe, expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import { durableFolders, partsOfSmallDruid } from './known-images.ts'
import { type ComposeService, compose, environmentFile, imageOf } from './manifests.ts'

const services = Object.entries(compose.services).map(([name, service]) => ({ name, service }))

function environmentOf({ environment, env_file: file }: ComposeService): Record<string, string> {
  const own = Object.entries(environment ?? {}).map(([name, value]): [string, string] => [
    name,
    // A variable that the shell must set.
    String(value).replace(/^\$\{(\w+):\?.*\}$/, 'the-$1-of-the-shell'),
  ])
  return { ...(file === undefined ? {} : environmentFile(file)), ...Object.fromEntries(own) }
}

const volumesOf = ({ volumes }: ComposeService): readonly { readonly source: string; readonly path: string }[] =>
  (volumes ?? []).map((volume) => {
    const [source, path] = volume.split(':')
    return { source: source!, path: path! }
  })

test('every volume is declared and mounted', () => {
  const mounted = services.flatMap(({ service }) => volumesOf(service).map(({ source }) => source))
  const own = mounted.filter((source) => !source.startsWith('.'))
  expect(new Set(own)).toEqual(new Set(Object.keys(compose.volumes)))
})

test('ports are open on localhost only, and the file contains no admin key', () => {
  const ports = services.flatMap(({ service }) => service.ports ?? [])
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
  const keys = services.flatMap(({ service }) => service.environment?.['TIDEMARK_ADMIN_KEY'] ?? [])
  expect(keys).not.toEqual([])
  for (const key of keys) expect(key).toMatch(/^\$\{TIDEMARK_ADMIN_KEY:\?.*openssl rand -hex 32.*\}$/)
})

describe.each(services)('$name', ({ service }) => {
  test('keeps its durable folders on volumes', () => {
    const paths = volumesOf(service).map(({ path }) => path)
    const lost = durableFolders(service.image, environmentOf(service)).filter(
      (folder) => !paths.some((path) => folder === path || folder.startsWith(`${path}/`)),
    )
    expect(lost).toEqual([])
  })

  test('depends on and connects to existing services only', () => {
    const text = Object.values(environmentOf(service)).join(' ')
    const hosts = [...text.matchAll(/(?:^|[ /@,])([a-z][a-z-]*):\d{4}\b/g)].map(([, host]) => host!)
    const known = [...Object.keys(compose.services), 'localhost']
    expect(known).toEqual(expect.arrayContaining([...hosts, ...Object.keys(service.depends_on ?? {})]))
  })
})

test.each(services.filter(({ service }) => service.image === 'tidemark'))(
  'Tidemark accepts the settings of $name',
  ({ name, service }) => {
    const environment = { ...imageOf('Dockerfile').environment, ...environmentOf(service) }
    expect(loadSettings({ flags: {}, environment, file: null })).toMatchObject({ engine: 'cluster', role: name })
  },
)

test.each(services.filter(({ service }) => service.image.startsWith('apache/druid:')))(
  '$name has a configuration of Druid',
  ({ service }) => {
    const { DRUID_SINGLE_NODE_CONF: small } = environmentOf(service)
    const [part] = service.command!
    if (small !== '') expect(partsOfSmallDruid).toContain(part)
    else expect(environmentOf(service)['JAVA_OPTS']).toMatch(/-Xmx\d+g -XX:MaxDirectMemorySize=\d+g/)
  },
)
