import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ClusterCatalog } from '../../src/catalog/cluster-catalog.ts'
import { addresses } from './addresses.ts'
import { testSchema } from './postgres-schemas.ts'
import { TcpProxy } from './tcp-proxy.ts'

const schema = testSchema()
const real = new URL(addresses.postgresUrl)

function urlWith(change: (url: URL) => void): string {
  const url = new URL(real)
  change(url)
  return url.href
}

afterAll(() => schema.remove())

describe('opening the catalog names the cause of a failure', () => {
  test.each<[string, (url: URL) => void, RegExp]>([
    [
      'a port without a server',
      (url) => (url.port = '1'),
      /PostgreSQL at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/,
    ],
    [
      'a host that does not exist',
      (url) => (url.hostname = 'nowhere.invalid'),
      /nowhere\.invalid:\d+ cannot be reached: .*nowhere/,
    ],
    ['a wrong password', (url) => (url.password = 'wrong'), /rejects the user "tidemark"/],
    ['an unknown user', (url) => (url.username = 'nobody'), /rejects the user "nobody"/],
    [
      'an unknown database',
      (url) => (url.pathname = '/nothing'),
      /no database "nothing".*CREATE DATABASE "nothing" OWNER "tidemark"/,
    ],
    [
      'TLS that the server does not support',
      (url) => url.searchParams.set('sslmode', 'require'),
      /cannot be reached: .*SSL/,
    ],
    [
      'a database without the right to create a schema',
      (url) => (url.pathname = '/postgres'),
      /GRANT CREATE ON DATABASE "postgres" TO "tidemark"/,
    ],
  ])('%s', async (_, change, message) => {
    await expect(schema.open({ url: urlWith(change) })).rejects.toThrow(message)
    const error: unknown = await schema.open({ url: urlWith(change) }).catch((thrown: unknown) => thrown)
    expect(String(error)).not.toContain('wrong')
  })
})

describe('a database that becomes unavailable', () => {
  let proxy: TcpProxy
  let catalog: ClusterCatalog
  beforeEach(async () => {
    proxy = await TcpProxy.open(real)
    catalog = await schema.open({ url: urlWith((url) => (url.port = String(proxy.port))), timeoutMs: 500 })
  })
  afterEach(async () => {
    await catalog.close()
    await proxy.close()
  })

  test.each(['cut', 'silence'] as const)('%s: requests that need it fail with a 503 until it is back', async (how) => {
    const subscriber = await catalog.access.createSubscriber(`x ${how}`, 1)
    let heard = -1
    catalog.changes.listen({
      definitions: () => {},
      access: (version) => {
        heard = version
      },
      partitions: () => {},
    })
    await expect.poll(() => heard).toBeGreaterThan(0)
    const before = heard
    proxy[how]()
    const asked = await Promise.allSettled([
      catalog.ping(),
      catalog.access.state(),
      catalog.access.deleteSubscriber(subscriber.name),
      ...Array.from({ length: 8 }, (_, n) => catalog.access.createSubscriber(`${how} ${n}`, 1)),
      catalog.partitions.partition(0),
      catalog.secrets.secret('a'),
    ])
    for (const outcome of asked) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', status: 503 } })
    }
    proxy.restore()
    await expect
      .poll(
        () =>
          catalog.ping().then(
            () => 'back',
            () => 'away',
          ),
        { timeout: 30_000 },
      )
      .toBe('back')
    expect(await catalog.access.deleteSubscriber(subscriber.name)).toBe(true)
    await expect.poll(() => heard, { timeout: 30_000 }).toBe(before + 1)
  })

  test('a change that waits too long for a lock fails as unavailable', async () => {
    const holding = schema.query(
      "begin; select value from counters where name = 'access_version' for update; select pg_sleep(2)",
    )
    await expect
      .poll(
        () =>
          catalog.access.createSubscriber('z', 1).then(
            () => 'made',
            (error) => error.code,
          ),
        { interval: 10 },
      )
      .toBe('unavailable')
    await holding
  })
})

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-tls-'))
  const [keyFile, caFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  let proxy: TcpProxy
  beforeAll(async () => {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const files = ['-keyout', keyFile, '-out', caFile]
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
      stdio: 'ignore',
    })
    proxy = await TcpProxy.open(real, { key: readFileSync(keyFile), cert: readFileSync(caFile) })
  })
  afterAll(async () => {
    await proxy.close()
    rmSync(folder, { recursive: true })
  })

  test.each<[string, string, string | null, boolean, true | RegExp]>([
    ['verify-full with the CA and the right name', 'localhost', 'verify-full', true, true],
    ['a CA alone means verify-full', 'localhost', null, true, true],
    ['verify-full without the CA', 'localhost', 'verify-full', false, /cannot be reached: .*self-signed certificate/],
    ['verify-full with another name', '127.0.0.1', 'verify-full', true, /cannot be reached: .*(altnames|IP)/],
    ['verify-ca with another name', '127.0.0.1', 'verify-ca', true, true],
    ['require needs no CA', 'localhost', 'require', false, true],
  ])('%s', async (_, hostname, mode, hasCa, outcome) => {
    const url = urlWith((each) => {
      each.hostname = hostname
      each.port = String(proxy.port)
      if (mode !== null) each.searchParams.set('sslmode', mode)
    })
    const opening = schema.open({ url, caFile: hasCa ? caFile : '' })
    if (outcome !== true) return expect(opening).rejects.toThrow(outcome)
    const catalog = await opening
    await catalog.ping()
    await catalog.close()
  })
})
