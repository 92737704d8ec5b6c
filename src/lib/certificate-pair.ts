import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { systemErrorText } from './system-error.ts'

/** The two files, and their names in messages. */
export interface PairFiles {
  readonly certificate: { readonly name: string; readonly path: string }
  readonly key: { readonly name: string; readonly path: string }
}

/** A certificate with its chain, and its private key, both in PEM. */
export interface CertificatePair {
  readonly cert: Buffer
  readonly key: Buffer
  readonly validUntilMs: number
}

/** Reads both and checks that they work together. Throws an Error whose message says which file is wrong and what it must contain. */
export async function readPair(files: PairFiles): Promise<CertificatePair> {
  const { certificate: one, key: other } = files
  const [cert, key] = [await readPart(one), await readPart(other)]
  const first = certificateIn(cert, one)
  requireWhole(cert, one)
  if (!first.checkPrivateKey(keyIn(key, other)))
    throw new Error(
      `${other.name} (${other.path}) is not the key of the first certificate in ${one.name} (${one.path}). Give it the matching key.`,
    )
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new Error(`${one.name} (${one.path}) cannot be used for TLS: ${systemErrorText(error)}.`)
  }
  return { cert, key, validUntilMs: Date.parse(first.validTo) }
}

async function readPart({ name, path }: PairFiles['key']): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new Error(`${name} (${path}) cannot be read: ${systemErrorText(error)}.`)
  }
}

function certificateIn(pem: Buffer, { name, path }: PairFiles['key']): X509Certificate {
  try {
    // X509Certificate also reads DER, but TLS does not.
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return new X509Certificate(pem)
  } catch {
    // Reported below.
  }
  throw new Error(`${name} (${path}) holds no certificate in PEM, one that begins with -----BEGIN CERTIFICATE-----.`)
}

const wholeBlock = /-----BEGIN ([A-Z0-9 ]+)-----(?:(?!-----BEGIN )[\s\S])*?-----END \1-----/g

/** Throws if the file ends in the middle of a certificate, as while it is being written: TLS would send only the certificates before it. */
function requireWhole(pem: Buffer, { name, path }: PairFiles['key']): void {
  const text = pem.toString('latin1')
  const blocks = text.match(wholeBlock) ?? []
  const isBroken = blocks.some((block) => block.includes('BEGIN CERTIFICATE') && !isCertificate(block))
  if (isBroken || text.replace(wholeBlock, '').includes('-----'))
    throw new Error(`${name} (${path}) ends, or is broken, in the middle of a certificate. Write the whole chain.`)
}

function isCertificate(block: string): boolean {
  try {
    new X509Certificate(block)
    return true
  } catch {
    return false
  }
}

function keyIn(pem: Buffer, { name, path }: PairFiles['key']): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    const what = pem.includes('ENCRYPTED')
      ? 'holds a private key with a passphrase. Give it one without.'
      : 'holds no private key in PEM, one that begins with -----BEGIN PRIVATE KEY-----.'
    throw new Error(`${name} (${path}) ${what}`)
  }
}
