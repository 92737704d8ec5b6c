import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyWithPassphrase, makeCertificate } from '../../test/support/certificate.ts'
import { systemErrorText } from '../lib/system-error.ts'
import { SettingsError } from '../model/settings-error.ts'
import { checkStart, listenFailure } from './check-start.ts'
import { loadSettings } from './load.ts'

let folder: string
let takenPort: string
const taken: Server = createServer()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-start-'))
  await writeFile(join(folder, 'file'), '')
  await symlink(join(folder, 'gone'), join(folder, 'link'))
  await mkdir(join(folder, 'real'))
  await symlink(join(folder, 'real'), join(folder, 'way'))
  await mkdir(join(folder, 'odd', 'catalog.sqlite'), { recursive: true })
  await writeFile(join(folder, 'odd', 'journal'), '')
  await mkdir(join(folder, 'planted'))
  await symlink(join(folder, 'file'), join(folder, 'planted', 'owner.pid'))
  await new Promise<void>((resolve) => taken.listen({ host: '127.0.0.1', port: 0 }, resolve))
  const address = taken.address()
  takenPort = String(typeof address === 'object' ? address?.port : '')
})

afterAll(async () => {
  taken.close()
  await rm(folder, { recursive: true, force: true })
})

/** The messages for these settings; `DIR` and `PORT` are replaced by the folder and a port that is in use. */
async function faultsOf(
  flags: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const filled = Object.entries({ data: 'DIR/data', port: '0', ...flags }).map(([name, value]) => [
    name,
    value.replace('DIR', folder).replace('PORT', takenPort),
  ])
  const settings = loadSettings({ flags: Object.fromEntries(filled), environment, file: null })
  try {
    await checkStart(settings)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.sentences
    throw error
  }
}

describe('checkStart reports unusable addresses, folders and files before anything is created', () => {
  test.each<[Record<string, string>, RegExp[]]>([
    [{ port: 'PORT' }, [/^The address is in use \(host 127\.0\.0\.1, port \d+\)\. .*--port/]],
    [{ host: '192.0.2.1' }, [/^host \(192\.0\.2\.1\) is not an address of this machine\. .*--host/]],
    [{ host: 'no such host' }, [/^host \(no such host\) is neither an address nor a known name\. .*--host/]],
    [{ data: 'DIR/file' }, [/^data \(.*\/file\) is a file\. /]],
    [{ data: 'DIR/file/a/b' }, [/^data \(.*\/file\/a\/b\) cannot be made, for .*\/file is a file\. /]],
    [{ data: 'DIR/link' }, [/^data \(.*\/link\) is a link to nothing\. /]],
    [{ data: `DIR/${'x'.repeat(300)}` }, [/^data \(.*\) is out of reach \(its name is too long\)\. /]],
    [{ data: '/proc/tidemark' }, [/^data \(\/proc\/tidemark\) cannot be written: /]],
    [
      { data: 'DIR/odd' },
      [
        /odd\/catalog\.sqlite, which must be a file and is a folder\./,
        /odd\/journal, which must be a folder and is a file\./,
      ],
    ],
    [{ data: 'DIR/planted' }, [/planted\/owner\.pid, which must be a file and is a link to a file\./]],
    [{ 'backup.directory': 'DIR/file' }, [/^backup\.directory \(.*\/file\) is a file\. /]],
    [
      { 'replica.url': 'file://DIR/data/copy' },
      [/^replica\.url \(file:.*\/data\/copy\) lies within the data folder \(data: .*\/data\)\. /],
    ],
    [{ 'replica.url': 'file://DIR/data' }, [/^replica\.url \(file:.*\) is the data folder \(data: .*\/data\)\. /]],
    [{ 'replica.url': 'file://DIR' }, [/^replica\.url \(file:.*\) lies around the data folder \(data: .*\/data\)\. /]],
    [
      { 'replica.url': 'file://DIR/real/data', data: 'DIR/way/data/below' },
      [/^replica\.url .* lies around the data folder /],
    ],
    [{ port: 'PORT', data: 'DIR/file' }, [/^The address is in use/, /^data /]],
  ])('%j', async (flags, sentences) => {
    const faults = await faultsOf(flags)
    expect(faults).toHaveLength(sentences.length)
    for (const sentence of sentences) expect(faults).toContainEqual(expect.stringMatching(sentence))
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('creates an empty data folder when nothing is wrong', async () => {
    expect(await faultsOf({ data: 'DIR/new/data', 'replica.url': 'file://DIR/new/data-copy' })).toEqual([])
    expect(await readdir(join(folder, 'new', 'data'))).toEqual([])
  })

  test('reports a TLS certificate or key that is missing, unreadable, invalid or does not match', async () => {
    const [own, other] = [makeCertificate(), makeCertificate()]
    const written = {
      'own.pem': own.cert,
      'own.key': own.key,
      'other.key': other.key,
      'locked.key': keyWithPassphrase(),
    }
    for (const [name, text] of Object.entries(written)) await writeFile(join(folder, name), text)
    const faults = (cert: string, key: string) =>
      faultsOf({
        data: 'DIR/never',
        ...(cert === '' ? {} : { 'server.tlsCertFile': cert }),
        ...(key === '' ? {} : { 'server.tlsKeyFile': key }),
      })
    expect(await faults('DIR/own.pem', '')).toEqual([
      'server.tlsCertFile is given and server.tlsKeyFile is not. Give both for HTTPS, or neither for plain HTTP.',
    ])
    expect(await faults('', 'DIR/own.key')).toEqual([
      'server.tlsKeyFile is given and server.tlsCertFile is not. Give both for HTTPS, or neither for plain HTTP.',
    ])
    expect(await faults('/gone.pem', 'DIR/own.key')).toEqual([
      'server.tlsCertFile (/gone.pem) cannot be read: there is no such file.',
    ])
    expect(await faults('DIR/own.pem', 'DIR')).toEqual([
      `server.tlsKeyFile (${folder}) cannot be read: it is a folder.`,
    ])
    expect(await faults('DIR/own.key', 'DIR/own.key')).toEqual([
      expect.stringMatching(/^server\.tlsCertFile \(.*own\.key\) holds no certificate in PEM/),
    ])
    expect(await faults('DIR/own.pem', 'DIR/own.pem')).toEqual([
      expect.stringMatching(/^server\.tlsKeyFile \(.*own\.pem\) holds no private key in PEM/),
    ])
    expect(await faults('DIR/own.pem', 'DIR/locked.key')).toEqual([
      expect.stringMatching(/^server\.tlsKeyFile .* holds a private key with a passphrase\. Give it one without\.$/),
    ])
    expect(await faults('DIR/own.pem', 'DIR/other.key')).toEqual([
      expect.stringMatching(/^server\.tlsKeyFile .*other\.key\) is not the key of the first certificate in /),
    ])
    expect(existsSync(join(folder, 'never'))).toBe(false)
    expect(await faults('DIR/own.pem', 'DIR/own.key')).toEqual([])
  })

  test('reports CA files of a cluster that cannot be read', async () => {
    const cluster = { engine: 'cluster', 'kafka.brokers': 'localhost:1', 'druid.router': 'http://localhost:1' }
    const files = { 'kafka.caFile': '/gone.pem', 'druid.caFile': 'DIR', 'postgres.caFile': 'DIR/file' }
    expect(await faultsOf({ ...cluster, ...files }, { TIDEMARK_POSTGRES_URL: 'postgres://localhost/x' })).toEqual([
      'kafka.caFile (/gone.pem) cannot be read: there is no such file.',
      `druid.caFile (${folder}) cannot be read: it is a folder.`,
    ])
  })
})

const coded = (code: string): Error => Object.assign(new Error(`${code}: words of the system`), { code })

test.each([
  ['EACCES', 'port (80) is not allowed for this user'],
  ['EMFILE', 'cannot be listened on: EMFILE: words of the system'],
])('listen error %s is reported as: %s', (code, words) => {
  expect(listenFailure(coded(code), { host: 'h', port: 80 })).toContain(words)
})

test.each([
  ['EACCES', 'this user does not have permission'],
  ['EROFS', 'its disk is read only'],
  ['ENOSPC', 'its disk is full'],
  ['EIO', 'EIO: words of the system'],
])('file error %s is reported as: %s', (code, words) => {
  expect(systemErrorText(coded(code))).toBe(words)
})

test('the write check does not follow a symlink planted at its file name', async () => {
  await mkdir(join(folder, 'tried'))
  await symlink(join(folder, 'elsewhere'), join(folder, 'tried', `start-${process.pid}.check`))
  expect(await faultsOf({ data: 'DIR/tried' })).toEqual([])
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false)
})
