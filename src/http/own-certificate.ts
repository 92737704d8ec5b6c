// The TLS certificate of the service. Its files are checked from time to time, so a renewal needs no restart.

import type { SecureContextOptions } from 'node:tls'
import { type CertificatePair, type PairFiles, readPair } from '../lib/certificate-pair.ts'
import { messageOf } from '../lib/message-of.ts'
import { formatInstant } from '../model/instant.ts'
import type { Observe } from '../observe/event.ts'
import type { Readiness } from './readiness.ts'

/** Older versions are insecure and no longer needed. */
const minVersion = 'TLSv1.2'

export class OwnCertificate {
  readonly #files: PairFiles
  readonly #observe: Observe
  #pair: CertificatePair
  readonly #takers: ((options: SecureContextOptions) => void)[] = []
  /** A pair found at the last check but not used yet. */
  #seen: CertificatePair | null = null
  /** Why the current files are not used; null while the pair in use is from them. */
  #refused: string | null = null
  /** The fault at the last check. While both files are being replaced, they do not match for a moment. */
  #doubted: string | null = null

  private constructor(files: PairFiles, pair: CertificatePair, observe: Observe) {
    this.#files = files
    this.#observe = observe
    this.#pair = pair
    this.#notify()
  }

  /** Throws the same errors as `readPair`. */
  static async open(files: PairFiles, observe: Observe): Promise<OwnCertificate> {
    return new OwnCertificate(files, await readPair(files), observe)
  }

  /** Options for creating a server. */
  get serverOptions() {
    return this.#options
  }

  /** Sets each new pair on the server. */
  use(server: { setSecureContext(options: SecureContextOptions): void }): void {
    this.#takers.push((options) => server.setSecureContext(options))
  }

  get state(): NonNullable<Readiness['tls']> {
    return { validUntil: formatInstant(this.#pair.validUntilMs), refused: this.#withoutPaths(this.#refused) }
  }

  /** Uses a new pair from now on; open connections keep theirs. With an invalid pair the old one stays in use, which is reported once. */
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
    // A chain may still be missing a certificate that is being written, so a pair must be the same at two checks.
    const isSettled = isSame || (this.#seen !== null && isSamePair(found, this.#seen))
    this.#seen = isSettled ? null : found
    if (!isSettled) return
    const wasRefused = this.#refused !== null
    this.#refused = null
    this.#doubted = null
    if (isSame && !wasRefused) return
    this.#pair = found
    for (const take of this.#takers) take(this.#options)
    this.#notify()
  }

  /** Removes file paths, which callers need not know; the log has them. */
  #withoutPaths(message: string | null): string | null {
    const { certificate, key } = this.#files
    return message?.replaceAll(` (${certificate.path})`, '').replaceAll(` (${key.path})`, '') ?? null
  }

  get #options() {
    return { cert: this.#pair.cert, key: this.#pair.key, minVersion } as const
  }

  #notify(): void {
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
