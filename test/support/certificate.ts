// Creates certificates for tests, because not every machine has a program for it. DER is written by hand (RFC 5280, section 4.1).
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface MadeCertificate {
  /** PEM text, as in files. */
  readonly cert: string
  readonly key: string
}

interface CertificateOptions {
  readonly commonName?: string
  readonly validFromMs?: number
  readonly validUntilMs?: number
}

/** A self-signed certificate for localhost and 127.0.0.1. A client that should trust it gets it as its certificate authority. */
export function makeCertificate({
  commonName = 'localhost',
  validFromMs = Date.now() - 3_600_000,
  validUntilMs = Date.UTC(2049, 0),
}: CertificateOptions = {}): MadeCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(oid(0x55, 4, 3), der(0x0c, Buffer.from(commonName)))))
  const algorithm = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))
  const content = sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.from([1, ...Buffer.from(String(validUntilMs))])),
    algorithm,
    name,
    sequence(instant(validFromMs), instant(validUntilMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(authority, names)),
  )
  const signature = sign('sha256', content, privateKey)
  const certificate = sequence(content, algorithm, der(3, Buffer.from([0]), signature))
  return { cert: pem(certificate), key: privatePem(privateKey) }
}

/** A private key with a passphrase. */
export function keyWithPassphrase(): string {
  const privateKeyEncoding = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'test' } as const
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const
  return generateKeyPairSync('ec', { namedCurve: 'P-256', privateKeyEncoding, publicKeyEncoding }).privateKey
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content])
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return der(0x30, ...contents)
}

function oid(...bytes: readonly number[]): Buffer {
  return der(6, Buffer.from(bytes))
}

/** UTCTime, whose last year is 2049. */
function instant(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, '')
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`))
}

/** The basic constraint that lets the certificate sign others, itself included. */
const authority = sequence(oid(0x55, 0x1d, 0x13), der(4, sequence(der(1, Buffer.from([0xff])))))
const names = sequence(
  oid(0x55, 0x1d, 0x11),
  der(4, sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))),
)

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g)!
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
