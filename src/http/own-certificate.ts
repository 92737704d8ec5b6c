// The certificate that the service speaks TLS with. Its files are looked at from time to time: who renews it needs no restart.
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import { type CertificatePair, type PairFiles, readPair } from '../lib/certificate-pair.ts'
import { formatInstant } from '../model/instant.ts'
import type { Observe } from '../observe/event.ts'
import type { Readiness } from './readiness.ts'

/** Older versions are broken, and nobody needs them. */
const minVersion = 'TLSv1.2'

export class OwnCertificate {
  readonly #files: PairFiles
  readonly #observe: Observe
  #pair: CertificatePair
  #context: SecureContext
  readonly #takers: ((options: SecureContextOptions) => void)[] = []
  /** Why what lies there now is not taken; null while it is what is in force. */
  #refused: string | null = null
  /** What was wrong at the last look: while both files are being replaced they do not belong together for a moment. */
  #doubted: string | null = null

  private constructor(files: PairFiles, pair: CertificatePair, observe: Observe) {
    this.#files = files
    this.#observe = observe
    this.#pair = pair
    this.#context = createSecureContext(this.#options)
    this.#tell()
  }

  /** Throws as `readPair` does. */
  static async open(files: PairFiles, observe: Observe): Promise<OwnCertificate> {
    return new OwnCertificate(files, await readPair(files), observe)
  }

  /** What a server is made with. */
  get serverOptions() {
    return {
      ...this.#options,
      // Where a name is listened on that has two addresses, the second server is not within reach: it asks here.
      SNICallback: (_name: string, done: (error: Error | null, context: SecureContext) => void) =>
        done(null, this.#context),
    }
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
      this.#doubt(error instanceof Error ? error.message : String(error))
      return
    }
    if (found.validUntilMs < this.#pair.validUntilMs && found.validUntilMs < Date.now()) {
      const { name, path } = this.#files.certificate
      this.#doubt(`${name} (${path}) holds a certificate that expired on ${formatInstant(found.validUntilMs)}.`)
      return
    }
    const isSame = found.cert.equals(this.#pair.cert) && found.key.equals(this.#pair.key)
    const wasRefused = this.#refused !== null
    this.#refused = null
    this.#doubted = null
    if (isSame && !wasRefused) return
    this.#pair = found
    this.#context = createSecureContext(this.#options)
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
