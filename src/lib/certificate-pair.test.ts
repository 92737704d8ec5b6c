import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeCertificate } from '../../test/support/certificate.ts'
import { readPair } from './certificate-pair.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-pair-'))
})
afterEach(() => rm(folder, { recursive: true }))

const [own, authority] = [makeCertificate(), makeCertificate({ commonName: 'authority' })]

async function pairOf(cert: string) {
  const [certPath, keyPath] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await writeFile(certPath, cert)
  await writeFile(keyPath, own.key)
  return await readPair({ certificate: { name: 'cert', path: certPath }, key: { name: 'key', path: keyPath } })
}

test.each([own.cert, own.cert + authority.cert, `the service\n${own.cert}\nwho vouches for it\n${authority.cert}\n`])(
  'accepts a complete chain',
  async (chain) => {
    expect((await pairOf(chain)).cert.toString()).toBe(chain)
  },
)

test.each(['-----BEG', '-----BEGIN CERTIFICATE-----\n', authority.cert.slice(0, 300), authority.cert.slice(0, -8)])(
  'refuses a chain that ends in the middle of its second certificate',
  async (part) => {
    await expect(pairOf(own.cert + part)).rejects.toThrow('in the middle of a certificate')
  },
)

test('refuses a chain whose second certificate is damaged', async () => {
  const damaged = authority.cert.split('\n').toSpliced(2, 1).join('\n')
  await expect(pairOf(own.cert + damaged)).rejects.toThrow('in the middle of a certificate')
})
