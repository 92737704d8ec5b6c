// The certificate that the service speaks TLS with. Its files are looked at from time to time: who renews it needs no restart.

import type { SecureContextOptions } from 'node:tls'
import { type CertificatePair, type PairFiles, readPair } from '../lib/certificate-pair.ts'
import { messageOf } from '../lib/message-of.ts'
import { formatInstant } from '../model/instant.ts'
import type { Observe } from '../observe/event.ts'
import type { Readiness } from './readiness.ts'

/** Older versions are broken, and nobody needs them. */
const minVersion = 'TLSv1.2'

export class OwnCertificate {
  readonly #files: PairFiles
  readonly #observe: Observe
  #pair: CertificatePair
  readonly #takers: ((options: SecureContextOptions) => void)[] = []
  /** What lay there at the last look and was not taken yet. */
  #seen: CertificatePair | null = null
  /** Why what lies there now is not taken; null while it is what is in force. */
  #refused: string | null = null
  /** What was wrong at the last look: while both files are being replaced they do not belong together for a moment. */
  #doubted: string | null = null

  private constructor(files: PairFiles, pair: CertificatePair, observe: Observe) {
    this.#files = files
    this.#observe = observe
    this.#pair = pair
    this.#tell()
  }

  /** Throws as `readPair` does. */
  static async open(files: PairFiles, observe: Observe): Promise<OwnCertificate> {
    return new OwnCertificate(files, await readPair(files), observe)
  }

  /** What a server is made with. */
  get serverOptions() {
    return this.#options
  }

  /** The server hears of each new pair. */
  use(server: { setSecureContext(options: SecureContextOptions): void }): void {
    this.#takers.push((options) => server.setSecureContext(options))
  }

  get state(): NonNullable<Readiness['tls']> {
    return { validUntil: formatInstant(this.#pair.validUntilMs), refused: this.#withoutPaths(this.#refused) }
  }

  /** Takes a new pair from now on; connections that there are keep theirs. One that is no good leaves the old one in force, and is told once. */
  async check(): Promise<void> {
    let found: CertificatePair
    try {
      found = await readPair(this.#files)
    } catch (error) {
      this.#doubt(messageOf(error))
      return
    }
    if (found.validUntilMs < this.#pair.validUntilMs && found.validUntilMs < Date.now()) {
      const { name, path } = this.#files.certificate
      this.#doubt(`${name} (${path}) holds a certificate that expired on ${formatInstant(found.validUntilMs)}.`)
      return
    }
    const isSame = isSamePair(found, this.#pair)
    // Nobody can see of a chain whether one more certificate is still to be written: it has to lie there at two looks.
    const isSettled = isSame || (this.#seen !== null && isSamePair(found, this.#seen))
    this.#seen = isSettled ? null : found
    if (!isSettled) return
    const wasRefused = this.#refused !== null
    this.#refused = null
    this.#doubted = null
    if (isSame && !wasRefused) return
    this.#pair = found
    for (const take of this.#takers) take(this.#options)
    this.#tell()
  }

  /** Whoever may ask need not know where the files lie: the log names them. */
  #withoutPaths(message: string | null): string | null {
    const { certificate, key } = this.#files
    return message?.replaceAll(` (${certificate.path})`, '').replaceAll(` (${key.path})`, '') ?? null
  }

  get #options() {
    return { cert: this.#pair.cert, key: this.#pair.key, minVersion } as const
  }

  #tell(): void {
    this.#observe({
      kind: 'certificateLoaded',
      path: this.#files.certificate.path,
      validUntilMs: this.#pair.validUntilMs,
    })
  }

  #doubt(message: string): void {
    if (this.#doubted === message && this.#refused !== message) {
      this.#refused = message
      this.#observe({ kind: 'certificateRefused', message })
    }
    this.#doubted = message
  }
}

function isSamePair(one: CertificatePair, other: CertificatePair): boolean {
  return one.cert.equals(other.cert) && one.key.equals(other.key)
}
