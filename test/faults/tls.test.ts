// HTTPS by the service itself, with certificates made here: who may connect, and how a new certificate takes effect.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ServiceEvent } from '../../src/observe/event.ts'
import { type MadeCertificate, makeCertificate } from '../support/certificate.ts'
import { runCommand } from '../support/run-command.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

let folder: string
let service: RunningService | null
let events: ServiceEvent[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-tls-'))
  service = null
  events = []
})

afterEach(async () => {
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

async function put({ cert, key }: Partial<MadeCertificate>): Promise<void> {
  if (cert !== undefined) await writeFile(join(folder, 'cert.pem'), cert)
  if (key !== undefined) await writeFile(join(folder, 'key.pem'), key)
}

const files = () => ({ 'server.tlsCertFile': join(folder, 'cert.pem'), 'server.tlsKeyFile': join(folder, 'key.pem') })

async function startWith(made: MadeCertificate): Promise<URL> {
  await put(made)
  service = await runService({ 'limits.checkMs': '20', ...files() }, { observe: (event) => events.push(event) })
  return new URL(service.url)
}

interface Answer {
  readonly status: number
  readonly body: string
}

function get(url: URL, path: string, ca: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), { ca, headers, agent: false }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (text: string) => (body += text))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    asked.on('error', reject).end()
  })
}

function shake(url: URL, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(url.port), host: '127.0.0.1', rejectUnauthorized: false, ...options }, () =>
      resolve(socket),
    )
    socket.on('error', reject)
  })
}

/** The certificate that a new connection receives, by name or by address alone. */
async function shown(url: URL, servername?: string): Promise<PeerCertificate> {
  const socket = await shake(url, servername === undefined ? {} : { servername })
  const certificate = socket.getPeerCertificate()
  socket.destroy()
  return certificate
}

async function readiness(url: URL, ca: string): Promise<{ tls: { validUntil: string; refused: string | null } }> {
  return JSON.parse((await get(url, '/readyz', ca, { authorization: `Bearer ${adminKey}` })).body)
}

async function gauge(url: URL, ca: string, name: string): Promise<number> {
  const { body } = await get(url, '/metrics', ca, { authorization: `Bearer ${adminKey}` })
  return Number(new RegExp(`^tidemark_${name} (\\S+)$`, 'm').exec(body)?.[1])
}

test('serves HTTPS from TLS 1.2 on, not plain HTTP, and reports the expiry of the certificate', async () => {
  const made = makeCertificate({ validUntilMs: Date.UTC(2040, 5, 1) })
  const url = await startWith(made)
  expect(url.protocol).toBe('https:')
  expect((await get(url, '/healthz', made.cert)).status).toBe(200)
  const localhost = new URL(`https://localhost:${url.port}`)
  expect((await get(localhost, '/healthz', made.cert)).status).toBe(200)
  expect((await readiness(url, made.cert)).tls).toEqual({ validUntil: '2040-06-01T00:00:00.000Z', refused: null })
  expect(await gauge(url, made.cert, 'tls_certificate_expires_timestamp_seconds')).toBe(Date.UTC(2040, 5, 1) / 1000)
  const ciphers = 'DEFAULT@SECLEVEL=0'
  await expect(shake(url, { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers })).rejects.toThrow(/protocol/i)
  const socket = await shake(url, { maxVersion: 'TLSv1.2' })
  expect(socket.getProtocol()).toBe('TLSv1.2')
  socket.destroy()
  await expect(fetch(`http://127.0.0.1:${url.port}/healthz`)).rejects.toThrow()
  await noise(url)
  expect((await get(url, '/healthz', made.cert)).status).toBe(200)
  expect(events.filter(({ kind }) => kind === 'requestFailed')).toEqual([])
})

/** Sends bytes that are not TLS, and breaks off a handshake. */
async function noise(url: URL): Promise<void> {
  for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.from([22, 3, 1, 0, 200, 1]), Buffer.alloc(5000)]) {
    await new Promise<void>((resolve) => {
      const socket = connectPlain(Number(url.port), '127.0.0.1', () => socket.write(bytes))
      setTimeout(() => socket.destroy(), 100)
      socket.on('error', () => undefined).on('close', () => resolve())
    })
  }
}

test('a new certificate and key apply without a restart, and existing connections stay open', async () => {
  const [first, second] = [makeCertificate({ commonName: 'first' }), makeCertificate({ commonName: 'second' })]
  const url = await startWith(first)
  const kept = await shake(url)
  expect((await shown(url)).subject.CN).toBe('first')
  await put({ key: second.key })
  await put({ cert: second.cert })
  await expect.poll(async () => (await shown(url)).subject.CN).toBe('second')
  expect((await shown(url, 'localhost')).subject.CN).toBe('second')
  expect((await get(url, '/healthz', second.cert)).status).toBe(200)
  const answered = new Promise((resolve) => kept.once('data', (bytes) => resolve(bytes.toString())))
  kept.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await answered).toMatch(/^HTTP\/1\.1 200/)
  kept.destroy()
})

test('an invalid pair keeps the old one in use; it is logged once and reported by /readyz and /metrics while it lasts', async () => {
  const [first, second] = [makeCertificate({ commonName: 'first' }), makeCertificate({ commonName: 'second' })]
  const url = await startWith(first)
  await put({ key: second.key })
  await expect.poll(async () => (await readiness(url, first.cert)).tls.refused).toMatch(/is not the key of the first/)
  expect(await gauge(url, first.cert, 'tls_certificate_refused')).toBe(1)
  await rm(join(folder, 'cert.pem'))
  await expect.poll(async () => (await readiness(url, first.cert)).tls.refused).toMatch(/there is no such file/)
  expect((await shown(url)).subject.CN).toBe('first')
  expect(events.filter(({ kind }) => kind === 'certificateRefused')).toHaveLength(2)
  await put({ cert: second.cert })
  await expect.poll(async () => (await shown(url)).subject.CN).toBe('second')
  expect((await readiness(url, second.cert)).tls.refused).toBeNull()
  expect(await gauge(url, second.cert, 'tls_certificate_refused')).toBe(0)
})

test('commands connect with NODE_EXTRA_CA_CERTS, and name that variable without it', async () => {
  const made = makeCertificate()
  await put(made)
  const environment = {
    TIDEMARK_SERVER_TLS_CERT_FILE: join(folder, 'cert.pem'),
    TIDEMARK_SERVER_TLS_KEY_FILE: join(folder, 'key.pem'),
  }
  const server = await ServerProcess.start({ dataDirectory: join(folder, 'data'), environment })
  try {
    expect(server.url).toMatch(/^https:/)
    const known = { TIDEMARK_URL: server.url, TIDEMARK_KEY: adminKey }
    const trusting = { ...known, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') }
    expect(await runCommand(['ingests', 'create', 'plant'], trusting)).toMatchObject({ code: 0 })
    const refused = await runCommand(['ingests', 'list'], known)
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('NODE_EXTRA_CA_CERTS=/path/to/') })
    expect(refused.errors).toMatch(/^tidemark: The certificate of https:\S+ is not trusted \(\w+\)\./)
  } finally {
    await server.kill()
  }
})

test('a command that requests HTTPS from a plain HTTP server gets a clear message', async () => {
  service = await runService()
  const url = service.url.replace('http:', 'https:')
  const { code, errors } = await runCommand(['ingests', 'list'], { TIDEMARK_URL: url, TIDEMARK_KEY: adminKey })
  expect([code, errors]).toEqual([1, expect.stringContaining('does not speak HTTPS')])
})

test('a connection that never finishes its handshake does not delay a stop', async () => {
  const url = await startWith(await makeCertificate())
  const idle = connectPlain(Number(url.port), url.hostname)
  await new Promise((resolve) => idle.once('connect', resolve))
  const ended = new Promise((resolve) => idle.once('close', resolve))
  idle.on('error', () => undefined)
  const startedMs = performance.now()
  await service?.close()
  service = null
  await ended
  // Otherwise the stop would wait for the time limit of a handshake.
  expect(performance.now() - startedMs).toBeLessThan(8000)
})
