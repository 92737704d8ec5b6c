import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fastify } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MadeCertificate, makeCertificate } from '../../test/support/certificate.ts'
import { listen } from './listen.ts'
import { OwnCertificate } from './own-certificate.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-listen-'))
})
afterEach(() => rm(folder, { recursive: true }))

const addresses = ['127.0.0.1', '127.0.0.2']
const addressesOf = async () => addresses

test('listens on both addresses of a host name, and closes both', async () => {
  const app = fastify({ forceCloseConnections: true })
  app.get('/', async () => 'here')
  const { url, closeOthers } = await listen(app, { host: 'both', port: 0, addressesOf })
  const { port } = new URL(url)
  for (const address of addresses) {
    expect(await (await fetch(`http://${address}:${port}/`)).text()).toBe('here')
  }
  await app.close()
  await closeOthers()
  for (const host of addresses) {
    const refused = new Promise((resolve) => {
      connectPlain({ host, port: Number(port) }).once('error', resolve)
    })
    expect(await refused).toMatchObject({ code: 'ECONNREFUSED' })
  }
})

test('an address that is already in use is skipped', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.2', resolve))
  const { port } = taken.address() as AddressInfo
  const app = fastify()
  const { url, closeOthers } = await listen(app, { host: 'both', port, addressesOf })
  expect(url).toBe(`http://127.0.0.1:${port}`)
  await app.close()
  await closeOthers()
  await new Promise((resolve) => taken.close(resolve))
})

const paths = { certificate: { name: 'cert', path: '' }, key: { name: 'key', path: '' } }

async function put({ cert, key }: MadeCertificate): Promise<typeof paths> {
  const files = {
    certificate: { ...paths.certificate, path: join(folder, 'cert.pem') },
    key: { ...paths.key, path: join(folder, 'key.pem') },
  }
  await writeFile(files.certificate.path, cert)
  await writeFile(files.key.path, key)
  return files
}

/** The common name of the certificate shown to a client that sends no server name. */
function shownAt(host: string, url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(new URL(url).port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

test('a new certificate is served on both addresses, also to clients without a server name', async () => {
  const certificate = await OwnCertificate.open(await put(makeCertificate({ commonName: 'first' })), () => undefined)
  const app = fastify({ https: certificate.serverOptions })
  certificate.use(app.server)
  const { url, closeOthers } = await listen(app, { host: 'both', port: 0, addressesOf })
  await put(makeCertificate({ commonName: 'second' }))
  await certificate.check()
  // The file may be half written.
  expect(await shownAt('127.0.0.2', url)).toBe('first')
  await certificate.check()
  expect(await Promise.all(addresses.map((address) => shownAt(address, url)))).toEqual(['second', 'second'])
  await app.close()
  await closeOthers()
})
